/* strided.h - what is done to a strided block of elements without arithmetic libraries.
 *
 * A block is `lines` lines of `count` elements; `ld` counts elements from one line to the next.
 * Used by the host device for its commands and by fabrics on host memory for their transfers. */
#ifndef SCT_BASE_STRIDED_H
#define SCT_BASE_STRIDED_H

#include "base/type.h"

/* to = from, conjugated if asked for; from == to is allowed. */
void sct_strided_copy(sct_type type, bool conjugate, int64_t lines, int64_t count, const void *from,
                      int64_t from_ld, void *to, int64_t to_ld);
/* to = from transposed: `to` has `count` lines of `lines` elements. The two are disjoint. */
void sct_strided_transpose(sct_type type, bool conjugate, int64_t lines, int64_t count,
                           const void *from, int64_t from_ld, void *to, int64_t to_ld);
/* to = from, widened or rounded; one of the types is f16 or bf16, the other f32. Dense blocks may
 * overlap as sct_half_widen has it. */
void sct_strided_convert(sct_type type, sct_type to_type, int64_t lines, int64_t count,
                         const void *from, int64_t from_ld, void *to, int64_t to_ld);
/* to += from. The two are disjoint; the type is not f16 or bf16, here and below. */
void sct_strided_add(sct_type type, int64_t lines, int64_t count, const void *from, int64_t from_ld,
                     void *to, int64_t to_ld);
/* to *= factor; where factor is 0, `to` is not read. */
void sct_strided_scale(sct_type type, int64_t lines, int64_t count, sct_scalar factor, void *to,
                       int64_t to_ld);

#endif
