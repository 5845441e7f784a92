/* dlpack.h - the structures of the DLPack protocol, version 0.8, which all its users share. */
#ifndef PYTHON_DLPACK_H
#define PYTHON_DLPACK_H

#include <stdint.h>

typedef struct dl_tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    uint8_t code, bits; /* of the type */
    uint16_t lanes;
    int64_t *shape, *strides; /* in elements; no strides: dense, by rows */
    uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed {
    dl_tensor tensor;
    void *context;
    void (*deleter)(struct dl_managed *self);
} dl_managed;

#endif
