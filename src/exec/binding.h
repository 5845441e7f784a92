/* binding.h - a layout bound to memory, and the work that a rank does on its own parts of it. */
#ifndef SCT_EXEC_BINDING_H
#define SCT_EXEC_BINDING_H

#include "device/device.h"
#include "fabric/fabric.h"
#include "layout/layout.h"

/* Where a rank works: its fabric, its device, and the count of other ranks' bytes read through
 * pointers. */
typedef struct sct_site {
    sct_fabric *fabric;
    sct_device *device;
    uint64_t *bytes_in_place;
} sct_site;

/* A slice of a matrix. */
typedef struct sct_bound {
    sct_type type;
    const sct_layout *layout;
    sct_segment *segment;
    sct_slice slice;
} sct_bound;

/* The address of an element in a block. */
static inline void *sct_memory_at(const sct_memory *memory, int64_t line, int64_t at,
                                  size_t bytes) {
    return memory->base + (size_t)line * memory->pitch + (size_t)at * bytes;
}

/* Elements from one line of a block to the next. */
static inline int64_t sct_memory_ld(const sct_memory *memory, size_t bytes) {
    return (int64_t)(memory->pitch / bytes);
}

/* The fabric's name for a rectangle of a bound matrix. */
sct_target sct_bound_target(const sct_bound *bound, sct_place place, int64_t line, int64_t at,
                            int64_t lines, int64_t count);

/* The memory of each of a rank's cells, as the layout shapes it; dense, without a base. */
void sct_bound_shape(const sct_layout *layout, sct_type type, int rank, sct_memory *memory);

/* Multiplies this rank's parts by a factor, and waits. */
sct_status sct_bound_scale(const sct_site *site, const sct_bound *bound, sct_scalar factor,
                           sct_stream *stream);
/* Sets this rank's parts of `to` to those of the same slice and layout in another type, and waits.
 */
sct_status sct_bound_convert(const sct_site *site, const sct_bound *from, const sct_bound *to,
                             sct_stream *stream);

#endif
