/* rma.h - get and accumulate by MPI one-sided operations, for networks with remote memory access.
 *
 * Each allocated segment has a window. All accumulates into it go through the window, near and
 * local ones too, because MPI's are atomic only among themselves. */
#ifndef SCT_FABRIC_MPI_RMA_H
#define SCT_FABRIC_MPI_RMA_H

#include "fabric/mpi/rank.h"

/* Collective, among ranks of several nodes: tries whether windows work between them. All get the
 * same result. */
sct_status sct_rma_trial(sct_mpi *self, bool *works);

/* Local. */
sct_status sct_rma_create(sct_rma **rma);
void sct_rma_destroy(sct_rma *rma);

/* For ranks that have created it. */
extern const sct_direct_ops sct_rma_ops;

#endif
