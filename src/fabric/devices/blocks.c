/* blocks.c - see blocks.h. */
#include "fabric/devices/blocks.h"

#include "fabric/dense.h"

#include <stdlib.h>

sct_status sct_device_blocks(sct_device *device, int count, const sct_memory *blocks,
                             sct_memory **placed, void **memory) {
    size_t bytes;
    sct_memory *made = malloc(((size_t)count + 1) * sizeof *made);
    if (!made)
        return sct_no_memory("a segment");
    for (int i = 0; i < count; i++)
        made[i] = blocks[i];
    sct_status status = sct_dense_bytes(count, made, &bytes);
    if (!status && !(*memory = device->ops->alloc(device, bytes)))
        status = sct_fail(SCT_NO_MEMORY, "no memory for %zu bytes on the device (%s)", bytes,
                          device->ops->name);
    if (status) {
        free(made);
        return status;
    }
    sct_dense_place(count, made, *memory);
    *placed = made;
    return SCT_OK;
}
