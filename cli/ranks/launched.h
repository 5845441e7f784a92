/* launched.h - connects the processes that `sectile launch` has started, as a module of an MPI
 * does. */
#ifndef CLI_RANKS_LAUNCHED_H
#define CLI_RANKS_LAUNCHED_H

#include "mpi/engine.h"

extern const struct engine launched_engine;

#endif
