/* mpi_module.h - recognises what started the tool, and loads the module of an MPI. */
#ifndef CLI_RANKS_MPI_MODULE_H
#define CLI_RANKS_MPI_MODULE_H

#include "mpi/engine.h"
#include "print/report.h"

/* What the launcher left in the environment. */
struct launch {
    const char *mpi; /* name of its module; NULL: not started by an MPI */
    bool launched;   /* by sectile launch, whose processes see no outer MPI */
    int rank;        /* -1: unknown */
};
struct launch launch_find(void);

/* Makes mpiexec end all processes, if the exit of one that has not started MPI would not do so. */
void launch_abort(const struct launch *launch, enum code code);

/* Loads and starts the module of that MPI, or of any installed one if NULL; reports errors. */
enum code launch_start(const char *mpi, const struct engine **engine, int *process, int *processes);

#endif
