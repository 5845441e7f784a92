/* mpi_module.h - recognises what started the tool, and loads the module of an MPI. */
#ifndef CLI_RANKS_MPI_MODULE_H
#define CLI_RANKS_MPI_MODULE_H

#include "mpi/engine.h"
#include "print/report.h"

/* What has started the tool, and how its processes meet. */
struct launch {
    sct_launcher launcher;
    const char *mpi; /* name of the module of an MPI; NULL: not by MPI */
    bool launched;   /* by the bootstrap of sectile_launch.h */
};
/* Reports a variable of a launcher that makes no sense. */
enum code launch_find(struct launch *launch);

/* Makes mpiexec end all processes, if the exit of one that has not started MPI would not do so. */
void launch_abort(const struct launch *launch, enum code code);

/* Loads and starts the module of that MPI, or of any installed one if NULL; reports errors. */
enum code launch_start(const char *mpi, const struct engine **engine, int *process, int *processes);

#endif
