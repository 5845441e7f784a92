/* rma.h - get and accumulate by MPI one-sided operations, for networks with remote memory access.
 *
 * Each allocated segment has a window. All accumulates into it go through the window, near and
 * local ones too, because MPI's are atomic only among themselves. */
#ifndef SCT_FABRIC_MPI_RMA_H
#define SCT_FABRIC_MPI_RMA_H

#include "fabric/mpi/segment.h"

/* What the trial finds: windows do not work; they work while the target calls MPI; they work
 * independently of the target. */
typedef enum sct_rma_finding {
    SCT_RMA_FAILS,
    SCT_RMA_NEEDS_TARGET,
    SCT_RMA_INDEPENDENT
} sct_rma_finding;

/* Collective, among ranks of several nodes; takes some 20 ms. All get the same result. */
sct_status sct_rma_trial(sct_mpi *self, sct_rma_finding *finding);

/* Local. */
sct_status sct_rma_create(sct_rma **rma);
void sct_rma_destroy(sct_rma *rma);

/* Collective: creates, and frees, the window of a segment. */
sct_status sct_rma_open(sct_segment *segment);
void sct_rma_close(sct_rma *rma, sct_segment *segment);
/* Makes local stores visible to gets of others, and their accumulates visible to loads. */
void sct_rma_sync(const sct_segment *segments);

/* For rectangles that are not empty. The highest bit of a ticket is set. */
sct_status sct_rma_get(sct_rma *rma, const sct_target *from, void *to, size_t pitch,
                       sct_ticket *ticket);
sct_status sct_rma_accumulate(sct_rma *rma, sct_type type, const void *from, size_t pitch,
                              const sct_target *to, sct_ticket *ticket);
sct_status sct_rma_wait(sct_rma *rma, sct_ticket ticket);
bool sct_rma_done(const sct_rma *rma, sct_ticket ticket);
bool sct_rma_owns(sct_ticket ticket);

#endif
