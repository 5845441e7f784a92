/* two_steps.h - commands that take two steps, by way of a buffer: piece by piece, as the buffer is
 * no larger than this. */
#ifndef SCT_DEVICE_CUDA_TWO_STEPS_H
#define SCT_DEVICE_CUDA_TWO_STEPS_H

#include "base/rectangle.h"
#include "device/cuda/stream.h"

enum { SCT_CUDA_BUFFER_BYTES = 1 << 20 };

/* Submits a step of one piece. */
typedef sct_status sct_cuda_step(sct_stream *stream, const sct_strided_work *piece,
                                 const void *context);

typedef struct sct_cuda_two_steps {
    char *buffer;
    size_t from_bytes, to_bytes; /* of an element, where it comes from and where it goes */
    sct_cuda_step *fill, *empty; /* the buffer */
    const void *context;
} sct_cuda_two_steps;

/* The pieces follow each other in the order in which they lie in memory. */
sct_status sct_cuda_in_two_steps(sct_stream *stream, const sct_strided_work *work,
                                 const sct_cuda_two_steps *how);

/* A buffer of this size that belongs to the stream, whose commands use it one after another. It is
 * kept until the device closes. */
sct_status sct_cuda_buffer(sct_stream *stream, char **buffer);

/* The part of a work that moves `piece`, a rectangle of bytes of its source. An element has
 * `from_bytes` bytes in the source and `to_bytes` in the target. */
sct_strided_work sct_cuda_part_of(const sct_strided_work *work, size_t from_bytes, size_t to_bytes,
                                  const sct_rectangle *piece);

#endif
