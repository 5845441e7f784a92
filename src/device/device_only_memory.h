/* device_only_memory.h - memory of emulated devices that other processes can attach. */
#ifndef SCT_DEVICE_DEVICE_ONLY_MEMORY_H
#define SCT_DEVICE_DEVICE_ONLY_MEMORY_H

#include "device/device.h"

/* What a device has allocated, and what it has attached. */
typedef struct sct_device_only_memory sct_device_only_memory;

/* As alloc, share and attach of sct_device_ops. Addresses are those of the host. */
void *sct_device_only_memory_alloc(sct_device_only_memory **list, size_t bytes);
bool sct_device_only_memory_share(const sct_device_only_memory *list, const void *memory,
                                  size_t bytes, sct_memory_handle *handle);
void *sct_device_only_memory_attach(sct_device_only_memory **list, const sct_memory_handle *handle);
/* Frees or detaches what an address lies in. */
void sct_device_only_memory_free(sct_device_only_memory **list, void *memory);

#endif
