/* choose_devices.c - reads a list of devices, and finds them. */
#include "device/opencl/context.h"

#include <ctype.h>
#include <stdlib.h>

enum { MOST_PLATFORMS = 16 };

typedef struct found {
    int count;
    cl_device_id device[SCT_CL_MOST_DEVICES];
    cl_platform_id platform[SCT_CL_MOST_DEVICES];
} found;

/* All devices of a kind, platform by platform. */
static void find_devices(cl_device_type kind, found *all) {
    cl_platform_id platform[MOST_PLATFORMS];
    cl_uint platforms = 0;
    all->count = 0;
    if (clGetPlatformIDs(MOST_PLATFORMS, platform, &platforms) != CL_SUCCESS)
        platforms = 0; /* so it is where no platform is installed */
    for (cl_uint p = 0; p < platforms && p < MOST_PLATFORMS; p++) {
        cl_uint more = 0, room = (cl_uint)(SCT_CL_MOST_DEVICES - all->count);
        if (room == 0 ||
            clGetDeviceIDs(platform[p], kind, room, &all->device[all->count], &more) != CL_SUCCESS)
            continue;
        for (cl_uint i = 0; i < more && i < room; i++)
            all->platform[all->count++] = platform[p];
    }
}

static sct_status no_device(void) {
    return sct_fail(SCT_NO_ENGINE, "OpenCL has no device here");
}

/* All GPUs of one platform, or else the first device of any. */
static sct_status choose_default(sct_cl_context *context, cl_platform_id *platform) {
    found all;
    find_devices(CL_DEVICE_TYPE_GPU, &all);
    bool gpus = all.count > 0;
    if (!gpus)
        find_devices(CL_DEVICE_TYPE_ALL, &all);
    if (all.count == 0)
        return no_device();
    *platform = all.platform[0];
    for (int i = 0; i < (gpus ? all.count : 1) && all.platform[i] == *platform; i++) {
        context->device[i] = all.device[i];
        context->domain[i] = context->group.count++;
    }
    return SCT_OK;
}

/* A number as it was read, which may be any, and as it was written. */
typedef struct number {
    long value; /* LONG_MAX, if it is greater */
    const char *text;
    int length;
} number;

static bool read_number(const char **text, number *read) {
    char *end = NULL;
    long value = isdigit((unsigned char)**text) ? strtol(*text, &end, 10) : 0;
    if (!end)
        return false;
    *read = (number){value, *text, (int)(end - *text)};
    *text = end;
    return true;
}

static sct_status check_room(const sct_cl_context *context, int devices) {
    if (devices <= SCT_CL_MOST_DEVICES - context->group.count)
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT, "devices: more than %d", SCT_CL_MOST_DEVICES);
}

/* Call it only if there is room. */
static void add_device(sct_cl_context *context, cl_device_id device, int domain, bool part) {
    context->device[context->group.count] = device;
    context->domain[context->group.count] = domain;
    context->parts[context->group.count++] = part;
}

/* Adds the parts of a device, which are as large as is possible. */
static sct_status add_parts(sct_cl_context *context, cl_device_id device, int index,
                            number wanted) {
    cl_uint units = 0;
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    if (wanted.value < 1 || wanted.value > (long)units)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "devices: %d cannot be divided into %.*s parts: it has %u units", index,
                        wanted.length, wanted.text, (unsigned)units);
    int parts = (int)wanted.value;
    sct_status status = check_room(context, parts);
    if (status)
        return status;
    cl_device_partition_property counts[SCT_CL_MOST_DEVICES + 3] = {CL_DEVICE_PARTITION_BY_COUNTS};
    cl_device_id part[SCT_CL_MOST_DEVICES];
    for (int i = 0; i < parts; i++)
        counts[1 + i] = units / (cl_uint)parts;
    counts[1 + parts] = CL_DEVICE_PARTITION_BY_COUNTS_LIST_END;
    cl_int error = clCreateSubDevices(device, counts, (cl_uint)parts, part, NULL);
    for (int i = 0; !error && i < parts; i++)
        add_device(context, part[i], index, true);
    return sct_cl_check(error, "divide a device");
}

static sct_status bad_list(const char *list) {
    return sct_fail(SCT_BAD_ARGUMENT, "devices: '%s' is not a list such as 0,1 or 0/2", list);
}

/* Reads one item of the list. */
static sct_status read_item(const char *list, const char **next, const found *all,
                            sct_cl_context *context, cl_platform_id *platform) {
    number chosen, parts;
    if (!read_number(next, &chosen))
        return bad_list(list);
    if (chosen.value >= all->count)
        return sct_fail(SCT_NO_ENGINE, "devices: OpenCL has no device %.*s: the last is %d",
                        chosen.length, chosen.text, all->count - 1);
    int index = (int)chosen.value;
    if (context->group.count > 0 && all->platform[index] != *platform)
        return sct_fail(SCT_BAD_ARGUMENT, "devices: those of '%s' are of several platforms", list);
    *platform = all->platform[index];
    cl_device_id device = all->device[index];
    if (**next == '/') {
        ++*next;
        return read_number(next, &parts) ? add_parts(context, device, index, parts)
                                         : bad_list(list);
    }
    sct_status status = check_room(context, 1);
    if (!status)
        add_device(context, device, index, false);
    return status;
}

sct_status sct_cl_choose_devices(const char *list, sct_cl_context *context,
                                 cl_platform_id *platform) {
    if (!list)
        return choose_default(context, platform);
    found all;
    find_devices(CL_DEVICE_TYPE_ALL, &all);
    if (all.count == 0)
        return no_device();
    const char *next = list;
    sct_status status = read_item(list, &next, &all, context, platform);
    while (!status && *next == ',') {
        next++;
        status = read_item(list, &next, &all, context, platform);
    }
    return status || !*next ? status : bad_list(list);
}
