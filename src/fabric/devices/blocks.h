/* blocks.h - allocates the blocks of a segment in memory of a device. */
#ifndef SCT_FABRIC_DEVICES_BLOCKS_H
#define SCT_FABRIC_DEVICES_BLOCKS_H

#include "device/device.h"
#include "fabric/fabric.h"

/* Makes a copy of the blocks, whose bases and pitches are in new memory, one after the other. The
 * caller frees the copy, and releases the memory. */
sct_status sct_device_blocks(sct_device *device, int count, const sct_memory *blocks,
                             sct_memory **placed, void **memory);

#endif
