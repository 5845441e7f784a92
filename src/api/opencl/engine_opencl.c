/* engine_opencl.c - the engine of ranks that compute on devices of OpenCL. */
#include "api/engine.h"
#include "device/opencl/opencl.h"

#include <limits.h>

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
    const sct_opencl_options *own = options->engine_options;
    return sct_engine_open_group(bootstrap, options, own->devices, processes, &grouping, NULL,
                                 fabric, device);
}

static const sct_engine_field fields[] = {
    {"ranks_per_node", offsetof(sct_opencl_options, ranks_per_node), INT_MAX, true}, {0}};

const sct_engine sct_engine_opencl = {
    .name = "opencl", .options_bytes = sizeof(sct_opencl_options), .fields = fields, .open = open};
