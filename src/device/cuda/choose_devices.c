/* choose_devices.c - reads a list of devices. */
#include "device/cuda/context.h"

#include <ctype.h>
#include <stdlib.h>

/* Without a driver, the error of CUDA names one that is too old. */
static sct_status count_devices(int *count) {
    int driver = 0;
    cudaError_t error = cudaGetDeviceCount(count);
    if (!error && *count > 0)
        return SCT_OK;
    bool none = cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0;
    cudaGetLastError();
    return sct_fail(SCT_NO_ENGINE, "CUDA has no device here: %s",
                    none ? "no driver is installed"
                         : cudaGetErrorString(error ? error : cudaErrorNoDevice));
}

static sct_status add_device(sct_cuda_context *context, int id) {
    if (context->group.count == SCT_CUDA_MOST_DEVICES)
        return sct_fail(SCT_BAD_ARGUMENT, "devices: more than %d", SCT_CUDA_MOST_DEVICES);
    int at = 0;
    while (at < context->gpus && context->gpu[at].id != id)
        at++;
    if (at == context->gpus) {
        context->gpu[context->gpus++].id = id;
        pthread_mutex_init(&context->gpu[at].mailbox.lock, NULL);
    }
    context->listed[context->group.count++] = &context->gpu[at];
    return SCT_OK;
}

/* Reads one item of the list, and moves on to the next one, or to the end. */
static sct_status read_item(const char *list, const char **next, int devices,
                            sct_cuda_context *context) {
    char *end = NULL;
    long id = isdigit((unsigned char)**next) ? strtol(*next, &end, 10) : 0;
    if (!end || (*end && (*end != ',' || !end[1])))
        return sct_fail(SCT_BAD_ARGUMENT, "devices: '%s' is not a list such as 0,1", list);
    if (id >= devices)
        return sct_fail(SCT_NO_ENGINE, "devices: CUDA has no device %.*s: the last is %d",
                        (int)(end - *next), *next, devices - 1);
    *next = *end ? end + 1 : end;
    return add_device(context, (int)id);
}

sct_status sct_cuda_choose_devices(const char *list, sct_cuda_context *context) {
    int devices;
    sct_status status = count_devices(&devices);
    for (int id = 0; !list && !status && id < devices; id++)
        status = add_device(context, id);
    if (!list || status)
        return status;
    const char *next = list;
    do
        status = read_item(list, &next, devices, context);
    while (!status && *next);
    return status;
}
