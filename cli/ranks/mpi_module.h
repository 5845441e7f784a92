/* mpi_module.h - which MPI has started the tool, and the module that knows it. */
#ifndef CLI_RANKS_MPI_MODULE_H
#define CLI_RANKS_MPI_MODULE_H

#include "mpi/engine.h"
#include "print/report.h"

/* What has been left in the environment. */
struct launch {
    const char *mpi; /* as its module is named; NULL: no MPI has started this process */
    int rank;        /* -1: not told */
};
struct launch launch_find(void);

/* Has mpiexec end all processes, where the exit of one that has not started its MPI would not. */
void launch_abort(const struct launch *launch, enum code code);

/* Loads the module of that MPI, or, if the name is NULL, of any that is there, and starts it; says
 * why if that fails. */
enum code launch_start(const char *mpi, const struct engine **engine, int *process, int *processes);

#endif
