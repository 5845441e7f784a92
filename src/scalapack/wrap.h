/* wrap.h - the matrices of a call, where they are. */
#ifndef SCT_SCALAPACK_WRAP_H
#define SCT_SCALAPACK_WRAP_H

#include "scalapack/arguments.h"

#include <sectile/sectile_scalapack.h>

/* The view of a submatrix in a matrix that wraps the whole array; destroy the matrix. A process
 * that has no part passes any data. Fails alike on all ranks. Collective. */
sct_status sct_submatrix_wrap(sct_world *world, sct_type type, const sct_scalapack_grid *grid,
                              const sct_submatrix *x, sct_view *view);

/* The rows and columns of a submatrix in its array. */
sct_slice sct_submatrix_slice(const sct_submatrix *x);

/* This process's part of a submatrix; without data if there is none. */
typedef struct sct_local_part {
    char *data; /* of the first element */
    int rows, cols, ld;
} sct_local_part;

sct_local_part sct_submatrix_part(const sct_submatrix *x, sct_type type, const sct_grid *grid);

#endif
