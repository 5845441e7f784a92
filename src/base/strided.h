/* strided.h - operations on strided blocks of elements that need no BLAS.
 *
 * A block is `lines` lines of `count` elements; `ld` is the distance between lines in elements.
 * Used by the host device for its commands, and by fabrics on host memory for their transfers. */
#ifndef SCT_BASE_STRIDED_H
#define SCT_BASE_STRIDED_H

#include "base/type.h"

/* Copies lines of `width` bytes; the pitches are the distances between lines in bytes. The blocks
 * must not overlap. */
void sct_strided_move(int64_t lines, size_t width, const void *from, size_t from_pitch, void *to,
                      size_t to_pitch);
/* to = from, optionally conjugated; from == to is allowed. */
void sct_strided_copy(sct_type type, bool conjugate, int64_t lines, int64_t count, const void *from,
                      int64_t from_ld, void *to, int64_t to_ld);
/* to = from transposed: `to` has `count` lines of `lines` elements. The blocks must not overlap. */
void sct_strided_transpose(sct_type type, bool conjugate, int64_t lines, int64_t count,
                           const void *from, int64_t from_ld, void *to, int64_t to_ld);
/* to = from, widened or rounded: one type is f16 or bf16, the other f32. Dense blocks may overlap
 * as in sct_half_widen. */
void sct_strided_convert(sct_type type, sct_type to_type, int64_t lines, int64_t count,
                         const void *from, int64_t from_ld, void *to, int64_t to_ld);
/* to += from. The blocks must not overlap. Not for f16 and bf16; nor is the next function. */
void sct_strided_add(sct_type type, int64_t lines, int64_t count, const void *from, int64_t from_ld,
                     void *to, int64_t to_ld);
/* to *= factor. With factor 0, `to` is not read. */
void sct_strided_scale(sct_type type, int64_t lines, int64_t count, sct_scalar factor, void *to,
                       int64_t to_ld);

/* As sct_strided_add; atomic for each real part of an element. */
void sct_atomic_add(sct_type type, int64_t lines, int64_t count, const void *from, int64_t from_ld,
                    void *to, int64_t to_ld);

#endif
