/* threads_fabric.h - runs checks on threads fabrics. */
#ifndef TEST_THREADS_FABRIC_H
#define TEST_THREADS_FABRIC_H

#include "engine/emulated.h"
#include "fabric/fabric.h"

/* Creates a threads fabric on so many threads, runs all rules on it and closes it. If `host` is set
 * among the options, its far transfers are those of the engine for tests. */
void threads_fabric_rules(int ranks, const emulated_options *options, uint64_t seed);

/* The work of one rank, which must close the fabric. */
typedef void rank_function(sct_fabric *fabric, void *context);
void threads_fabric_each(int ranks, const emulated_options *options, rank_function *function,
                         void *context);

/* Creates fabrics while allgather number `failing` of the bootstrap, counted from 1, reports a
 * failure: to rank `who`, or to all ranks (-1). On ranks that get a fabric nevertheless, calls
 * barrier and closes it. status[r] is the first failure on rank r. */
void threads_fabric_fail_gather(int ranks, const emulated_options *options, int failing, int who,
                                sct_status *status);

#endif
