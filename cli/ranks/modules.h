/* modules.h - recognises what started the tool, and connects its processes: by the module of an
 * MPI, which is loaded, or, under `sectile launch` and other launchers without MPI, by one that is
 * built in. */
#ifndef CLI_RANKS_MODULES_H
#define CLI_RANKS_MODULES_H

#include "mpi/engine.h"
#include "print/report.h"

/* As sct_launcher_find; reports a variable of a launcher that makes no sense, and what to do. */
enum code launcher_find(sct_launcher *launcher);

/* What has started the tool, and how its processes meet. */
struct launch {
    sct_launcher launcher;
    const char *mpi; /* name of the module of an MPI; NULL: not by MPI */
    bool launched;   /* by the bootstrap of sectile_launch.h */
    bool in_doubt;   /* what PMI_PORT names may be anything, and may never answer */
};
/* Reports errors. */
enum code launch_find(struct launch *launch);

/* Makes mpiexec end all processes, if the exit of one that has not started MPI would not do so. */
void launch_abort(const struct launch *launch, enum code code);

/* Loads and starts the module of that MPI, or of any installed one if NULL; reports errors. */
enum code launch_start(const struct launch *launch, const struct engine **engine, int *process,
                       int *processes);

extern const struct engine launched_engine;

/* As launched_engine.start, with a status whose reason is not reported yet. */
sct_status launched_start(int *rank, int *ranks);

#endif
