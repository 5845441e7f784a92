/* rank_count.h - which engine connects the ranks, and how many there are: one rule for all verbs.
 *
 * If nobody says, they are those that mpiexec has started, or as many as a machine that is named
 * has, or else what the verb supposes. A machine never has more ranks than it has. */
#ifndef CLI_RANKS_RANK_COUNT_H
#define CLI_RANKS_RANK_COUNT_H

#include "args/args.h"

/* Collective. Sets args->engine and args->ranks, joins an MPI if that is the engine, and checks the
 * flags that depend on them. */
enum code ranks_resolve(enum verb verb, struct args *args);

#endif
