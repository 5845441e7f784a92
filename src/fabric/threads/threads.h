/* threads.h - the fabric of ranks that are threads of one process. */
#ifndef SCT_FABRIC_THREADS_THREADS_H
#define SCT_FABRIC_THREADS_THREADS_H

#include "fabric/fabric.h"

/* Collective over the bootstrap: two gathers, of which the second may fail on any rank, as if that
 * rank had closed the fabric. Options are valid and the same on all ranks. Near: all ranks reach
 * each other. Far (0 < ranks_per_node < ranks, or wrapped_apart for memory that is wrapped): a
 * courier thread of each rank carries transfers, in an order and with delays drawn from the seed.
 *
 * A rank may close early, with segments open. Then, or where ranks come to different calls, the
 * others fail wherever they meet, get or accumulate; what they reach into stays there. */
sct_status sct_fabric_threads(const sct_bootstrap *bootstrap, const sct_world_options *options,
                              sct_fabric **fabric);

#endif
