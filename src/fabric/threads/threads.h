/* threads.h - the fabric of ranks that are threads of one process. */
#ifndef SCT_FABRIC_THREADS_THREADS_H
#define SCT_FABRIC_THREADS_THREADS_H

#include "fabric/fabric.h"

/* Collective over the bootstrap: two gathers, of which the second may fail on any rank as if that
 * rank had closed the fabric. Options are valid and equal on all ranks. All ranks share memory, but
 * with 0 < ranks_per_node < ranks only those of one such node get pointers to it.
 *
 * A rank may close early, with segments open. Collective calls, gets and accumulates of the others
 * then fail, as they do if ranks make different calls; memory that they may be using is kept. */
sct_status sct_fabric_threads(const sct_bootstrap *bootstrap, const sct_world_options *options,
                              sct_fabric **fabric);

#endif
