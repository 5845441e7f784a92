/* rank_count.h - resolves the engine and the number of ranks: one rule for all verbs; and refuses
 * to work where each of several processes would do all the work, and write the same files.
 *
 * Verbs that run on ranks have, under mpiexec, one for each process. Otherwise the default is the
 * number of ranks of --machine; or the number of processes; or the default of the verb. A machine
 * never has more ranks than it describes. */
#ifndef CLI_RANKS_RANK_COUNT_H
#define CLI_RANKS_RANK_COUNT_H

#include "args/args.h"
#include "ranks/rank_group.h"

/* For a process that is to start ranks. */
enum code company_check_start(void);

/* Collective: sets args->engine and args->ranks, starts MPI if that is the engine, and checks the
 * flags that depend on them. */
enum code ranks_resolve(enum verb verb, struct args *args);

#endif
