/* engine_opencl.c - the engine of ranks that are threads and compute on devices of OpenCL. */
#include "api/engine.h"
#include "device/opencl/opencl.h"

SCT_API extern const sct_engine sct_engine_opencl;

/* Collective: rank 0 makes a context, with one use for each rank. */
static sct_status share_context(sct_fabric *ranks, const char *list, sct_cl_context **context) {
    sct_cl_context *made = NULL;
    void *shared;
    sct_status status = ranks->rank == 0 ? sct_cl_context_create(list, ranks->size, &made) : SCT_OK;
    status = sct_engine_share(ranks, status, made, &shared);
    if (!status)
        *context = shared;
    else if (made)
        sct_cl_context_leave(made, ranks->size);
    return status;
}

/* Deals the devices to the ranks: consecutive ranks share one if there are more ranks. */
static sct_status open_device(sct_fabric *ranks, const sct_world_options *options,
                              sct_device **device) {
    sct_cl_context *context;
    sct_status status = share_context(ranks, options->devices, &context);
    if (status)
        return status;
    int64_t index = (int64_t)ranks->rank * context->count / ranks->size;
    return sct_device_opencl(context, (int)index, device);
}

static sct_status open(const sct_bootstrap *bootstrap, const sct_world_options *options,
                       sct_fabric **fabric, sct_device **device) {
    return sct_engine_open_devices(bootstrap, options, open_device, fabric, device);
}

const sct_engine sct_engine_opencl = {.name = "opencl", .open = open};
