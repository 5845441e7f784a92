/* host.h - the device that is this machine's processors and a BLAS. */
#ifndef SCT_DEVICE_HOST_H
#define SCT_DEVICE_HOST_H

#include "device/device.h"

/* At once: a command has run when submit returns. */
sct_status sct_device_host(sct_device **device);

/* Deferred: every stream is a thread that takes commands in order, each held back for a time drawn
 * from the seed, at most delay_us microseconds. A command that fails makes the next submit,
 * follow or wait of its stream fail, once. */
sct_status sct_device_host_deferred(uint64_t seed, int delay_us, sct_device **device);

/* Runs one command here and now. */
sct_status sct_host_execute(const sct_command *command);

/* Memory of either device. */
void *sct_host_alloc(sct_device *device, size_t bytes);
void sct_host_release(sct_device *device, void *memory);

#endif
