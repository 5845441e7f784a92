/* arguments.h - the matrices of a call: checks the arguments, finds the one that ScaLAPACK would
 * report, and wraps submatrices where they are. */
#ifndef SCT_SCALAPACK_ARGUMENTS_H
#define SCT_SCALAPACK_ARGUMENTS_H

#include "scalapack/descriptor.h"
#include "scalapack/program.h"

#include <sectile/sectile_scalapack.h>

/* A submatrix, as the arguments of a routine name it. */
typedef struct sct_matrix_argument {
    const void *data;
    const int *row, *col; /* of its first element, from 1 on */
    const int *entries;   /* the descriptor */
} sct_matrix_argument;

/* A checked submatrix: rows `row` to `row` + `rows` - 1, from 0 on, and so for columns. */
typedef struct sct_submatrix {
    char *data;
    sct_descriptor descriptor;
    int row, col, rows, cols;
} sct_submatrix;

/* Collects what is wrong with a call. The first argument counts. */
typedef struct sct_argument_errors {
    sct_grid grid; /* of the call's context */
    int context;
    int least; /* the code of the first bad argument; 0: none */
} sct_argument_errors;

/* Starts with the context of the first operand, whose descriptor has the number `position`. */
sct_status sct_argument_errors_begin(const sct_program *program, const int *entries, int position,
                                     sct_argument_errors *errors);
/* Notes argument number `position`, if the context is known: otherwise that alone is reported. */
void sct_argument_errors_note(sct_argument_errors *errors, int position);

/* Checks an operand of rows x cols, which arguments number rows_position and cols_position give.
 * `position` is that of its descriptor; its row and column come before. */
void sct_argument_errors_check(sct_argument_errors *errors, const sct_matrix_argument *operand,
                               int rows, int rows_position, int cols, int cols_position,
                               int position, sct_submatrix *checked);

/* Fails if anything is wrong, and says what as ScaLAPACK does: "parameter 3", or "entry 5 of
 * parameter 10". */
sct_status sct_argument_errors_end(const sct_argument_errors *errors);

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
