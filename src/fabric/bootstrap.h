/* bootstrap.h - what ranks can do together before they have a fabric: by the allgather of a
 * bootstrap. */
#ifndef SCT_FABRIC_BOOTSTRAP_H
#define SCT_FABRIC_BOOTSTRAP_H

#include "base/status.h"
#include "fabric/fabric.h"

/* The reason of a failure has that of the allgather, if it gives one. */
sct_status sct_bootstrap_gather(const sct_bootstrap *bootstrap, const void *mine, size_t bytes,
                                void *all);
/* Fails on all ranks if one of them lacks its memory; among more than SCT_BARRIER_MOST_RANKS, on
 * that rank alone. */
sct_status sct_bootstrap_all_have(const sct_bootstrap *bootstrap, bool mine, const char *what);
/* An allreduce, as `reduce` of a fabric. */
sct_status sct_bootstrap_reduce(const sct_bootstrap *bootstrap, sct_reduction how, uint64_t *words,
                                size_t count);
/* As sct_fabric_agree. */
sct_status sct_bootstrap_agree(const sct_bootstrap *bootstrap, sct_status status);

#endif
