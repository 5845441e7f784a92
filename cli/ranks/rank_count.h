/* rank_count.h - resolves the engine and the number of ranks: one rule for all verbs.
 *
 * The default is the number of processes that mpiexec started; or the ranks of a named machine; or
 * the default of the verb. A machine never has more ranks than it describes. */
#ifndef CLI_RANKS_RANK_COUNT_H
#define CLI_RANKS_RANK_COUNT_H

#include "args/args.h"

/* Collective. Sets args->engine and args->ranks, joins an MPI if that is the engine, and checks the
 * flags that depend on them. */
enum code ranks_resolve(enum verb verb, struct args *args);

#endif
