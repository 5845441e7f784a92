/* engine_cuda.c - the engine of ranks that compute on devices of CUDA. */
#include "api/cuda/connect.h"
#include "device/cuda/cuda.h"

#include <limits.h>

SCT_API extern const sct_engine sct_engine_cuda;

static sct_status create(const char *list, int users, sct_device_group **group) {
    sct_cuda_context *context;
    sct_status status = sct_cuda_context_create(list, users, &context);
    if (!status)
        *group = &context->group;
    return status;
}

/* With NVSHMEM, the slab is its heap, which is made when all ranks have met. */
static sct_status reserve(sct_device *device, const sct_world_options *options) {
    size_t bytes = 0;
    sct_status status = options->path == SCT_PATH_NVSHMEM ? SCT_OK : sct_cuda_memory_wanted(&bytes);
    return status || bytes == 0 ? status : sct_device_cuda_reserve(device, bytes);
}

static sct_status open_one(sct_device_group *group, int index, const sct_world_options *options,
                           sct_device **device) {
    sct_status status = sct_device_cuda((sct_cuda_context *)group, index, device);
    if (!status) {
        const sct_cuda_options *own = options->engine_options;
        sct_device_cuda_set_math(*device, own->math);
        status = sct_device_cuda_set_accumulation(*device, own->accumulation);
    }
    return status ? status : reserve(*device, options);
}

static sct_status open(const sct_bootstrap *bootstrap, const sct_world_options *options,
                       sct_fabric_opener *processes, sct_fabric **fabric, sct_device **device) {
    static const sct_device_grouping grouping = {create, open_one};
    const sct_cuda_options *own = options->engine_options;
    return sct_engine_open_group(bootstrap, options, own->devices, processes, &grouping,
                                 sct_cuda_connect, fabric, device);
}

static const sct_engine_field fields[] = {
    {"ranks_per_node", offsetof(sct_cuda_options, ranks_per_node), INT_MAX, true},
    {"math", offsetof(sct_cuda_options, math), SCT_MATH_TF32, true},
    {"accumulation", offsetof(sct_cuda_options, accumulation), SCT_ACCUMULATION_MAILBOX, true},
    {0}};
_Static_assert(sizeof(sct_math) == sizeof(int) && sizeof(sct_accumulation) == sizeof(int),
               "enumerators are fields of the size of int");

const sct_engine sct_engine_cuda = {.name = "cuda",
                                    .options_bytes = sizeof(sct_cuda_options),
                                    .fields = fields,
                                    .open = open,
                                    .has_nvshmem = true};
