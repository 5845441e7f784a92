/* engine_cuda.c - the engine of ranks that are threads and compute on devices of CUDA. */
#include "api/engine.h"
#include "device/cuda/cuda.h"

#include <stdlib.h>

SCT_API extern const sct_engine sct_engine_cuda;

/* Collective: rank 0 makes a context, with one use for each rank. */
static sct_status share_context(sct_fabric *ranks, const char *list, sct_cuda_context **context) {
    sct_cuda_context *made = NULL;
    sct_cuda_context **all = calloc((size_t)ranks->size, sizeof *all);
    sct_status status = all ? SCT_OK : sct_no_memory("the devices of CUDA");
    if (!status && ranks->rank == 0)
        status = sct_cuda_context_create(list, ranks->size, &made);
    status = sct_fabric_agree(ranks, status);
    if (!status)
        status = ranks->ops->exchange(ranks, &made, sizeof made, all);
    if (!status)
        *context = all[0];
    else if (made)
        sct_cuda_context_leave(made, ranks->size);
    free(all);
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
