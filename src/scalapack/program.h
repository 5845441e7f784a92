/* program.h - what the program brings: its BLACS, its handling of bad arguments, and the ScaLAPACK
 * behind this library. All is looked up at run time, because this library must not bring a second
 * copy of any of it. */
#ifndef SCT_SCALAPACK_PROGRAM_H
#define SCT_SCALAPACK_PROGRAM_H

#include <sectile/sectile.h>

#include <mpi.h>
#include <stdbool.h>

typedef void sct_function(void);

/* The function of that name which the program would have without this library; NULL: none. `ours`
 * is the function that this library exports by the name. */
sct_function *sct_program_original(const char *symbol, sct_function *ours);

/* The size of a context's grid and this process's place in it; -1 for what is not known. */
typedef struct sct_grid {
    int rows, cols, row, col;
} sct_grid;

/* Errors: SCT_NO_ENGINE if the program has no BLACS. Not collective. */
sct_status sct_program_grid(int context, sct_grid *grid);
/* The communicator of a context, which belongs to the BLACS. Likewise. */
sct_status sct_program_communicator(int context, MPI_Comm *comm);

/* Reports a bad argument as ScaLAPACK does: `info` is minus its number, or minus 100 times its
 * number plus that of the entry. Returns only if the program's handling does. */
void sct_program_report(int context, const char *routine, int info);
/* Says why a call cannot be completed, and ends the job. */
_Noreturn void sct_program_abort(int context, const char *routine, const char *reason);

#endif
