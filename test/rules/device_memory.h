/* device_memory.h - how tests write and read memory of a device, which they cannot touch. */
#ifndef TEST_DEVICE_MEMORY_H
#define TEST_DEVICE_MEMORY_H

#include "device/device.h"

/* Copy between the host and memory of the device; NULL: of the host. */
void memory_put(sct_device *device, void *to, const void *from, size_t bytes);
void memory_take(sct_device *device, const void *from, void *to, size_t bytes);

/* Memory with `bytes` bytes of `value`. */
void *memory_new(sct_device *device, size_t bytes, int value);
void memory_free(sct_device *device, void *memory);

#endif
