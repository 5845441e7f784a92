/* common.h - what both fabrics for devices have in common: they are above a fabric in which their
 * ranks meet, allocate the blocks of a segment in memory of a device, and get by its commands. */
#ifndef SCT_FABRIC_DEVICES_COMMON_H
#define SCT_FABRIC_DEVICES_COMMON_H

#include "device/device.h"
#include "fabric/fabric.h"

/* The first member of such a fabric. */
typedef struct sct_upper_fabric {
    sct_fabric base;
    sct_fabric *ranks; /* the fabric below */
    sct_device *device;
    sct_stream *stream; /* for transfers of no other stream */
} sct_upper_fabric;

/* Functions of such a fabric: those of the fabric below. */
sct_status sct_upper_check(sct_fabric *fabric);
sct_status sct_upper_barrier(sct_fabric *fabric);
sct_status sct_upper_exchange(sct_fabric *fabric, const void *mine, size_t bytes, void *all);
sct_status sct_upper_reduce(sct_fabric *fabric, sct_reduction how, uint64_t *words, size_t count);

/* Makes a copy of the blocks, whose bases and pitches are in new memory, one after the other. The
 * caller frees the copy, and releases the memory. */
sct_status sct_device_blocks(sct_device *device, int count, const sct_memory *blocks,
                             sct_memory **placed, void **memory);

/* What is left to wait for when a transfer for a stream (NULL: none) was submitted to `submitted`.
 */
sct_event sct_upper_reached(const sct_upper_fabric *self, const sct_stream *stream,
                            sct_stream *submitted);
/* A get from a block. If all commands of the device can use that, the move need not ask. */
sct_status sct_upper_get(const sct_upper_fabric *self, sct_stream *stream, const sct_memory *block,
                         bool usable, const sct_target *from, void *to, size_t pitch,
                         sct_event *reached);

#endif
