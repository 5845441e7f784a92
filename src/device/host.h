/* host.h - the host device: this machine's processors and a BLAS. */
#ifndef SCT_DEVICE_HOST_H
#define SCT_DEVICE_HOST_H

#include "device/device.h"

/* At once: a command has run when submit returns. */
sct_status sct_device_host(sct_device **device);

/* Deferred: each stream is a thread that runs commands in order, each delayed at random by at most
 * delay_us microseconds. A failed command makes the next submit, follow or wait of its stream fail,
 * once. */
sct_status sct_device_host_deferred(uint64_t seed, int delay_us, sct_device **device);

/* Deferred, and its memory is out of the host's reach, and full of NaN at first. Such devices may
 * copy to and from each other's memory, and use it. */
sct_status sct_device_emulated(uint64_t seed, int delay_us, int domain, sct_device **device);

/* The same, and processes can share the memory. Additions can be atomic. */
sct_status sct_device_emulated_shared(uint64_t seed, int delay_us, int domain, sct_device **device);

/* Runs one command on the calling thread. */
sct_status sct_host_execute(const sct_command *command);

/* For all variants, and those with memory of the host. */
void *sct_host_alloc(sct_device *device, size_t bytes);
void sct_host_release(sct_device *device, void *memory);
bool sct_host_can_use(sct_device *device, const void *memory);

#endif
