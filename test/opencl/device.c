/* device.c - devices of OpenCL keep the contract; lists of devices are read, or refused. */
#include "opencl/opened.h"
#include "rules/device_rules.h"
#include "support/check.h"

#include <stdio.h>
#include <string.h>

/* The most groups that a kernel has had across the lines. */
static size_t highest;

cl_int __real_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                     const size_t *first, const size_t *global, const size_t *local,
                                     cl_uint count, const cl_event *events, cl_event *event);
cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                     const size_t *first, const size_t *global, const size_t *local,
                                     cl_uint count, const cl_event *events, cl_event *event);

cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                     const size_t *first, const size_t *global, const size_t *local,
                                     cl_uint count, const cl_event *events, cl_event *event) {
    size_t groups = global[1] / local[1];
    highest = groups > highest ? groups : highest;
    return __real_clEnqueueNDRangeKernel(queue, kernel, dimensions, first, global, local, count,
                                         events, event);
}

static void test_rules(uint64_t seed) {
    sct_cl_context *context = opened_parts();
    sct_device *device;
    CHECK(context->group.count == 2);
    if (CHECK(sct_device_opencl(context, 1, &device) == SCT_OK)) {
        device_rules(device, seed, 2);
        device->ops->close(device);
    }
    CHECK(highest == 65535); /* as much as all devices can, of the many lines of a rule */
}

static void refused(const char *list, sct_status expected, const char *reason) {
    sct_cl_context *context;
    sct_status status = sct_cl_context_get(list, &context);
    CHECK_CASE(status == expected && strstr(sct_last_reason(), reason), "%s: %s", list,
               sct_last_reason());
}

static void test_lists(void) {
    static const struct {
        const char *list;
        sct_status status;
        const char *reason;
    } bad[] = {
        {"", SCT_BAD_ARGUMENT, "'' is not a list"},
        {"x", SCT_BAD_ARGUMENT, "'x' is not a list"},
        {"0,", SCT_BAD_ARGUMENT, "'0,' is not a list"},
        {"0;1", SCT_BAD_ARGUMENT, "'0;1' is not a list"},
        {"0/", SCT_BAD_ARGUMENT, "'0/' is not a list"},
        {"0/0", SCT_BAD_ARGUMENT, "cannot be divided into 0 parts"},
        {"0/999", SCT_BAD_ARGUMENT, "cannot be divided into 999 parts"},
        {"0,999", SCT_NO_ENGINE, "OpenCL has no device 999"},
        {"1000", SCT_NO_ENGINE, "OpenCL has no device 1000: the last is "},
        {"99999999999999999999", SCT_NO_ENGINE, "OpenCL has no device 99999999999999999999:"},
        {"0/99999999999999999999", SCT_BAD_ARGUMENT,
         "cannot be divided into 99999999999999999999 parts"}};
    sct_cl_context *context;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(bad[i].list, bad[i].status, bad[i].reason);
    static const struct {
        const char *list;
        int count;
    } good[] = {{NULL, 1}, {"0", 1}, {"0,0", 2}, {"0/2,0", 3}};
    enum { GOOD = sizeof good / sizeof *good };
    const sct_cl_context *got[GOOD];
    for (int i = 0; i < 2 * GOOD; i++)
        if (CHECK_CASE(sct_cl_context_get(good[i % GOOD].list, &context) == SCT_OK, "%s",
                       sct_last_reason())) {
            CHECK(context->group.count >= good[i % GOOD].count);
            CHECK(i < GOOD || context == got[i % GOOD]);
            for (int other = 0; other < i && i < GOOD; other++)
                CHECK(context != got[other]);
            got[i % GOOD] = context;
        }
}

/* One device too many: the last as a whole, or in parts. */
static void test_too_many(void) {
    static const char *const last[] = {"0,0", "0/2"};
    char list[2 * SCT_CL_MOST_DEVICES + 2] = "";
    for (int i = 0; i < SCT_CL_MOST_DEVICES - 1; i++)
        strcat(list, "0,");
    for (int i = 0; i < 2; i++) {
        strcpy(list + 2 * (SCT_CL_MOST_DEVICES - 1), last[i]);
        refused(list, SCT_BAD_ARGUMENT, "devices: more than 64");
    }
}

/* ---- Two platforms: the second has the devices of the first ---- */

static bool doubled;
static cl_platform_id usual, second = (cl_platform_id)&doubled;

cl_int __real_clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count);
cl_int __wrap_clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count);
cl_int __real_clGetDeviceIDs(cl_platform_id platform, cl_device_type kind, cl_uint room,
                             cl_device_id *devices, cl_uint *count);
cl_int __wrap_clGetDeviceIDs(cl_platform_id platform, cl_device_type kind, cl_uint room,
                             cl_device_id *devices, cl_uint *count);

cl_int __wrap_clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count) {
    cl_int error = __real_clGetPlatformIDs(room, platforms, count);
    usual = platforms[0];
    if (doubled) {
        platforms[1] = second;
        *count = 2;
    }
    return error;
}

cl_int __wrap_clGetDeviceIDs(cl_platform_id platform, cl_device_type kind, cl_uint room,
                             cl_device_id *devices, cl_uint *count) {
    return __real_clGetDeviceIDs(platform == second ? usual : platform, kind, room, devices, count);
}

static void test_platforms(void) {
    char list[16];
    cl_uint devices = 0;
    CHECK(__real_clGetDeviceIDs(usual, CL_DEVICE_TYPE_ALL, 0, NULL, &devices) == CL_SUCCESS);
    doubled = true;
    snprintf(list, sizeof list, "0,%u", devices);
    refused(list, SCT_BAD_ARGUMENT, "are of several platforms");
    doubled = false;
}

/* Addresses are found in the buffers that they belong to, and in no other. */
static void test_places(uint64_t seed) {
    enum { BUFFERS = 40 };
    sct_cl_context *context = opened_parts();
    char *memory[BUFFERS];
    int64_t bytes[BUFFERS], freed = check_between(&seed, 0, BUFFERS - 1);
    for (int i = 0; i < BUFFERS; i++) {
        bytes[i] = check_between(&seed, 1, 20000);
        memory[i] = sct_cl_alloc(context, (size_t)bytes[i]);
        CHECK(memory[i] != NULL);
    }
    CHECK(sct_cl_find(context, &seed).buffer == NULL);
    CHECK(sct_cl_find(context, NULL).buffer == NULL);
    sct_cl_release(context, memory[freed]);
    for (int i = 0; i < BUFFERS; i++) {
        int64_t at = check_between(&seed, 0, bytes[i] - 1);
        sct_cl_place first = sct_cl_find(context, memory[i]);
        sct_cl_place place = sct_cl_find(context, memory[i] + at);
        CHECK((place.buffer != NULL) == (i != freed));
        CHECK(i == freed || (place.buffer == first.buffer && place.offset == (size_t)at));
    }
    for (int i = 0; i < BUFFERS; i++)
        if (i != freed)
            sct_cl_release(context, memory[i]);
    CHECK(context->ranges == 0);
}

/* ---- A compiler that finds errors ---- */

static bool spoiled;

cl_program __real_clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts,
                                            const size_t *bytes, cl_int *error);
cl_program __wrap_clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts,
                                            const size_t *bytes, cl_int *error);

cl_program __wrap_clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts,
                                            const size_t *bytes, cl_int *error) {
    const char *wrong = "kernel void f(global int *x) { *x = nonsense; *x = more; *x = again; }";
    return __real_clCreateProgramWithSource(context, count, spoiled ? &wrong : texts, bytes, error);
}

/* Of all that it says, which is longer than a reason, the first line is told. */
static void test_compiler(void) {
    sct_cl_context *context;
    cl_program program;
    CHECK(sct_cl_context_get("0,0", &context) == SCT_OK);
    spoiled = true;
    CHECK(sct_cl_program(context, SCT_F32, &program) == SCT_FAILED);
    spoiled = false;
    CHECK_CASE(strstr(sct_last_reason(), "OpenCL: a kernel does not compile: ") &&
                   strstr(sct_last_reason(), "nonsense") && !strstr(sct_last_reason(), "more"),
               "%s", sct_last_reason());
    CHECK(sct_cl_program(context, SCT_F32, &program) == SCT_OK);
}

int main(void) {
    uint64_t seed = check_seed(1);
    test_rules(seed);
    test_lists();
    test_too_many();
    test_platforms();
    test_places(seed);
    test_compiler();
    return check_report("device");
}
