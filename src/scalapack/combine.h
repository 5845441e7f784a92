/* combine.h - adds two local parts of matrices, each with a factor. */
#ifndef SCT_SCALAPACK_COMBINE_H
#define SCT_SCALAPACK_COMBINE_H

#include "scalapack/wrap.h"

/* to = alpha from + beta to, for parts of one shape, which may be the same. What a factor of 0
 * belongs to is not read. */
void sct_combine(sct_type type, const void *alpha, const sct_local_part *from, const void *beta,
                 const sct_local_part *to);

#endif
