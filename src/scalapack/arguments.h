/* arguments.h - checks the arguments of a call, and finds the one that ScaLAPACK would report. */
#ifndef SCT_SCALAPACK_ARGUMENTS_H
#define SCT_SCALAPACK_ARGUMENTS_H

#include "scalapack/descriptor.h"
#include "scalapack/program.h"

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
typedef struct sct_findings {
    sct_grid grid; /* of the call's context */
    int context;
    int least; /* the code of the first bad argument; 0: none */
} sct_findings;

/* Starts with the context of the first operand, whose descriptor has the number `position`. */
sct_status sct_findings_begin(const sct_program *program, const int *entries, int position,
                              sct_findings *findings);
/* Notes argument number `position`, if the context is known: otherwise that alone is reported. */
void sct_findings_note(sct_findings *findings, int position);

/* Checks an operand of rows x cols, which arguments number rows_position and cols_position give.
 * `position` is that of its descriptor; its row and column come before. */
void sct_findings_check(sct_findings *findings, const sct_matrix_argument *operand, int rows,
                        int rows_position, int cols, int cols_position, int position,
                        sct_submatrix *checked);

/* Fails if anything is wrong, and says what as ScaLAPACK does: "parameter 3", or "entry 5 of
 * parameter 10". */
sct_status sct_findings_end(const sct_findings *findings);

#endif
