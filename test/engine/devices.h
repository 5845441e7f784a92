/* devices.h - the devices of the engine for tests. */
#ifndef TEST_ENGINE_DEVICES_H
#define TEST_ENGINE_DEVICES_H

#include "device/device.h"

/* Each stream is a thread that runs commands in order, each delayed at random by at most delay_us
 * microseconds. A failed command makes the next submit, follow or wait of its stream fail, once. */
sct_status device_deferred(uint64_t seed, int delay_us, sct_device **device);

/* The same with memory that is out of the host's reach, and full of NaN at first. Such devices may
 * copy to and from each other's memory, and use it. */
sct_status device_emulated(uint64_t seed, int delay_us, int domain, sct_device **device);

/* The same, and processes can share the memory. Additions can be atomic. */
sct_status device_emulated_shared(uint64_t seed, int delay_us, int domain, sct_device **device);

#endif
