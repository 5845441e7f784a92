/* engine_cuda.c - the engine of ranks that are threads and compute on devices of CUDA. */
#include "api/engine.h"
#include "device/cuda/cuda.h"

SCT_API extern const sct_engine sct_engine_cuda;

/* Collective: rank 0 makes a context, with one use for each rank. */
static sct_status share_context(sct_fabric *ranks, const char *list, sct_cuda_context **context) {
    sct_cuda_context *made = NULL;
    void *shared;
    sct_status status =
        ranks->rank == 0 ? sct_cuda_context_create(list, ranks->size, &made) : SCT_OK;
    status = sct_engine_share(ranks, status, made, &shared);
    if (!status)
        *context = shared;
    else if (made)
        sct_cuda_context_leave(made, ranks->size);
    return status;
}

/* Deals the devices to the ranks: consecutive ranks share one if there are more ranks. */
static sct_status open_device(sct_fabric *ranks, const sct_world_options *options,
                              sct_device **device) {
    sct_cuda_context *context;
    sct_status status = share_context(ranks, options->devices, &context);
    if (status)
        return status;
    int64_t index = (int64_t)ranks->rank * context->count / ranks->size;
    return sct_device_cuda(context, (int)index, device);
}

static sct_status open(const sct_bootstrap *bootstrap, const sct_world_options *options,
                       sct_fabric **fabric, sct_device **device) {
    return sct_engine_open_devices(bootstrap, options, open_device, fabric, device);
}

const sct_engine sct_engine_cuda = {.name = "cuda", .open = open};
