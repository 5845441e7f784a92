/* threads_ranks.h - ranks that are threads, for the rules of fabrics. */
#ifndef TEST_THREADS_RANKS_H
#define TEST_THREADS_RANKS_H

#include "fabric/fabric.h"

/* Makes a threads fabric on so many new threads, runs all rules on it and closes it. */
void threads_ranks_run(int ranks, const sct_world_options *options, uint64_t seed);

/* What one rank does; it closes the fabric. */
typedef void rank_function(sct_fabric *fabric, void *context);
void threads_ranks_each(int ranks, const sct_world_options *options, rank_function *function,
                        void *context);

/* Makes fabrics of which the allgather number `failing` fails, after it has gathered: on rank
 * `who`, or on all (-1). What came of it is put in `status`, by rank; fabrics that could be made
 * are closed, once the ranks have met on them. */
void threads_ranks_refuse(int ranks, const sct_world_options *options, int failing, int who,
                          sct_status *status);

#endif
