/* atomic_add.h - additions that exclude each other element by element, also between processes that
 * share the memory. */
#ifndef SCT_BASE_ATOMIC_ADD_H
#define SCT_BASE_ATOMIC_ADD_H

#include "base/type.h"

/* As sct_strided_add; atomic for each real part of an element. */
void sct_atomic_add(sct_type type, int64_t lines, int64_t count, const void *from, int64_t from_ld,
                    void *to, int64_t to_ld);

#endif
