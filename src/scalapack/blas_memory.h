/* blas_memory.h - has the BLAS take its memory before matrices do. */
#ifndef SCT_SCALAPACK_BLAS_MEMORY_H
#define SCT_SCALAPACK_BLAS_MEMORY_H

#include <stdbool.h>

/* False if the limits of this process leave too little for it. */
bool sct_blas_memory_take(void);

#endif
