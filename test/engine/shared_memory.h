/* shared_memory.h - memory of emulated devices that other processes can attach. */
#ifndef TEST_ENGINE_SHARED_MEMORY_H
#define TEST_ENGINE_SHARED_MEMORY_H

#include "device/device.h"

/* What a device has allocated, and what it has attached. */
typedef struct shared_memory shared_memory;

/* As alloc, share and attach of sct_device_ops. Addresses are those of the host. */
void *shared_memory_alloc(shared_memory **list, size_t bytes);
bool shared_memory_share(const shared_memory *list, const void *memory, size_t bytes,
                         sct_memory_handle *handle);
void *shared_memory_attach(shared_memory **list, const sct_memory_handle *handle);
/* Frees or detaches what an address lies in. */
void shared_memory_free(shared_memory **list, void *memory);

#endif
