/* rma.h - get and accumulate by MPI one-sided operations, for networks with remote memory access.
 *
 * Each allocated segment has a window. All accumulates into it go through the window, near and
 * local ones too, because MPI's are atomic only among themselves. */
#ifndef SCT_FABRIC_MPI_RMA_H
#define SCT_FABRIC_MPI_RMA_H

#include "fabric/mpi/rank.h"

/* What the trial finds: windows do not work; they work while the target calls MPI; they work
 * independently of the target. */
typedef enum sct_rma_support {
    SCT_RMA_FAILS,
    SCT_RMA_NEEDS_TARGET,
    SCT_RMA_INDEPENDENT
} sct_rma_support;

/* Collective, among ranks of several nodes; takes some 20 ms. All get the same result. */
sct_status sct_rma_trial(sct_mpi *self, sct_rma_support *support);

/* Local. */
sct_status sct_rma_create(sct_rma **rma);
void sct_rma_destroy(sct_rma *rma);

/* For ranks that have created it. */
extern const sct_direct_ops sct_rma_ops;

#endif
