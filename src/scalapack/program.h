/* program.h - what the program brings: its BLACS and its ScaLAPACK. All is looked up at run time,
 * because this library must not bring a second copy of any of it.
 *
 * A program may be a host of plug-ins, each with a ScaLAPACK of its own. So all is looked up for
 * the code that calls. */
#ifndef SCT_SCALAPACK_PROGRAM_H
#define SCT_SCALAPACK_PROGRAM_H

#include "scalapack/routine.h"

#include <stdbool.h>

typedef struct sct_program sct_program;
typedef struct sct_mpi_contexts sct_mpi_contexts;

/* What the code at the address has: the object that contains it is looked through once. */
sct_program *sct_program_of(const void *caller);

/* ScaLAPACK's routine; NULL: there is none. */
sct_function *sct_program_original(sct_program *program, const sct_routine *routine);

/* True if calls can be served: the program has an MPI that this library is for, and a BLACS with
 * 32-bit integers. Otherwise it warns of the reason, once for each job, in the log. */
bool sct_program_fits(sct_program *program, int context);

/* The rank of this process in the job, from the BLACS, or from the launcher if the program has no
 * Cblacs_pinfo; -1: unknown. Called only from the program's own calls: before the program has made
 * a context, the BLACS would start MPI. */
int sct_program_rank(const sct_program *program);

/* The size of a context's grid and this process's place in it; -1 for what is not known. */
typedef struct sct_grid {
    int rows, cols, row, col;
} sct_grid;

/* Errors: SCT_NO_ENGINE if the program has no BLACS, or one with 64-bit integers. Not collective.
 */
sct_status sct_program_grid(const sct_program *program, int context, sct_grid *grid);

/* A context as MPI sees it: what makes a communicator of a handle of the BLACS, and its handle. */
typedef struct sct_blacs_context {
    sct_function *translate;
    int handle;
    sct_grid grid;
} sct_blacs_context;

/* Errors: as above. */
sct_status sct_program_context(const sct_program *program, int number, sct_blacs_context *context);

/* What contexts need of MPI; for a program that fits. */
const sct_mpi_contexts *sct_program_mpi(const sct_program *program);

/* Says why a call can be neither completed nor passed on, and ends the job. */
_Noreturn void sct_program_abort(const sct_program *program, int context, const char *routine,
                                 const char *reason);

#endif
