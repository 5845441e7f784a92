/* binding.h - a layout bound to memory, and operations on a rank's local parts. */
#ifndef SCT_EXEC_BINDING_H
#define SCT_EXEC_BINDING_H

#include "device/device.h"
#include "fabric/fabric.h"
#include "layout/layout.h"

struct sct_scratch; /* see scratch.h */

/* A rank's fabric and device, its count of bytes of other ranks used in place, and its scratch
 * matrices. */
typedef struct sct_exec_context {
    sct_fabric *fabric;
    sct_device *device;
    uint64_t *bytes_in_place;
    struct sct_scratch *scratch;
} sct_exec_context;

/* A slice of a matrix in memory. */
typedef struct sct_bound {
    sct_type type;
    const sct_layout *layout;
    sct_segment *segment;
    sct_slice slice;
    bool needs_copy; /* some rank's memory cannot be used by its device: see scratch.h */
    uint64_t alike;  /* a number of type and layout that is equal on all ranks */
} sct_bound;

/* The address of an element in a block. */
static inline void *sct_memory_at(const sct_memory *memory, int64_t line, int64_t at,
                                  size_t bytes) {
    return memory->base + (size_t)line * memory->pitch + (size_t)at * bytes;
}

/* The leading dimension of a block, in elements. */
static inline int64_t sct_memory_ld(const sct_memory *memory, size_t bytes) {
    return (int64_t)(memory->pitch / bytes);
}

/* The fabric's target for a rectangle of a bound matrix. */
sct_target sct_bound_target(const sct_bound *bound, sct_place place, int64_t line, int64_t at,
                            int64_t lines, int64_t count);

/* The shape of each of a rank's cells in memory: dense, without base address. */
void sct_bound_shape(const sct_layout *layout, sct_type type, int rank, sct_memory *memory);

/* Scales the local parts by a factor. */
sct_status sct_bound_scale(const sct_exec_context *context, const sct_bound *bound,
                           sct_scalar factor, sct_stream *stream);
/* Moves the local parts of `from` into those of `to`, which has the same slice, layout and type;
 * waits. */
sct_status sct_bound_move(const sct_exec_context *context, const sct_bound *from,
                          const sct_bound *to, sct_stream *stream);
/* Converts the local parts of `from` into those of `to`, which has the same slice and layout and
 * another type. */
sct_status sct_bound_convert(const sct_exec_context *context, const sct_bound *from,
                             const sct_bound *to, sct_stream *stream);

/* Collective: the ranks agree. If the host `defers` waiting for what their streams hold, all that
 * they start later comes after it. */
sct_status sct_exec_meet(const sct_exec_context *context, sct_status status, sct_stream *stream,
                         bool defers);

#endif
