/* stand_in.h - a BLACS and a ScaLAPACK that a test sets as it likes. In its program the linker
 * wraps what the drop-in looks for them by, and abort. */
#ifndef TEST_SCALAPACK_STAND_IN_H
#define TEST_SCALAPACK_STAND_IN_H

#include <setjmp.h>
#include <stdbool.h>

/* The process grid of a context: this process is at (row, col), and the communicator has all
 * processes of the job. */
typedef struct stand_in_grid {
    int rows, cols, row, col;
} stand_in_grid;

/* Makes a context. Collective. */
int stand_in_context(stand_in_grid grid);
/* Frees its communicator. Collective. */
void stand_in_free(int context);

/* What the program has, and what it has been called for. */
typedef struct stand_in_program {
    bool communicators; /* Cblacs_get and Cblacs2sys_handle */
    bool grids;         /* Cblacs_gridinfo */
    bool aborts;        /* Cblacs_abort */
    jmp_buf end;        /* where the end of the job leads */
    const char *ended;  /* by what */
    int passed_on;      /* calls of ScaLAPACK's routines in double precision: it has no others */
    const void *arguments[20]; /* of the last */
    int context;               /* that is aborted */
} stand_in_program;

extern stand_in_program stand_in;

#endif
