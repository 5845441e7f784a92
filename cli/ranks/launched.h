/* launched.h - connects the processes of `sectile launch`, and of other launchers without MPI, as a
 * module of an MPI does. */
#ifndef CLI_RANKS_LAUNCHED_H
#define CLI_RANKS_LAUNCHED_H

#include "mpi/engine.h"

extern const struct engine launched_engine;

/* As launched_engine.start, with a status whose reason is not reported yet. */
sct_status launched_start(int *rank, int *ranks);

#endif
