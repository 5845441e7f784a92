/* ranks.h - how many ranks there are: one rule for all verbs.
 *
 * If nobody says, they are those that mpiexec has started, or as many as a machine that is named
 * has, or else what the verb supposes. A machine never has more ranks than it has. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include "args.h"

/* Collective. Sets args->ranks, once the engine is known; says what is wrong. */
enum code ranks_find(enum verb verb, struct args *args);

#endif
