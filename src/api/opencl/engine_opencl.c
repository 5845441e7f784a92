/* engine_opencl.c - the engine of ranks that compute on devices of OpenCL. */
#include "api/engine.h"
#include "device/opencl/opencl.h"

SCT_API extern const sct_engine sct_engine_opencl;

static sct_status create(const char *list, int users, sct_device_group **group) {
    sct_cl_context *context;
    (void)users;
    sct_status status = sct_cl_context_get(list, &context);
    if (!status)
        *group = &context->group;
    return status;
}

static sct_status open_one(sct_device_group *group, int index, const sct_world_options *options,
                           sct_device **device) {
    (void)options;
    return sct_device_opencl((sct_cl_context *)group, index, device);
}

static sct_status open(const sct_bootstrap *bootstrap, const sct_world_options *options,
                       sct_fabric_opener *processes, sct_fabric **fabric, sct_device **device) {
    static const sct_device_grouping grouping = {create, open_one};
    return sct_engine_open_group(bootstrap, options, processes, &grouping, NULL, fabric, device);
}

const sct_engine sct_engine_opencl = {.name = "opencl", .open = open};
