/* rma.h - gets and accumulates by MPI's passive targets, for networks that get at memory without
 * the owner's help.
 *
 * Each segment that is opened has a window. All adds to it go through the window, near ones and the
 * rank's own too: those of MPI are atomic only among themselves. */
#ifndef SCT_FABRIC_MPI_RMA_H
#define SCT_FABRIC_MPI_RMA_H

#include "fabric/mpi/segment.h"

/* What a trial finds: that it does not work; that it does, but needs the target; or not even that.
 */
typedef enum sct_rma_finding {
    SCT_RMA_FAILS,
    SCT_RMA_NEEDS_TARGET,
    SCT_RMA_INDEPENDENT
} sct_rma_finding;

/* Collective, among ranks that are not all of one team; takes some 20 ms. All find the same. */
sct_status sct_rma_try(sct_mpi *self, sct_rma_finding *finding);

/* Not collective. */
sct_status sct_rma_create(bool independent, sct_rma **rma);
void sct_rma_destroy(sct_rma *rma);
bool sct_rma_is_independent(const sct_rma *rma);

/* Collective: gives a segment its window, and takes it away. */
sct_status sct_rma_open(sct_rma *rma, sct_segment *segment);
void sct_rma_close(sct_rma *rma, sct_segment *segment);
/* What was stored here is seen by others' gets, and what they have added here by loads. */
void sct_rma_sync(const sct_segment *segments);

/* Rectangles that are not empty. Tickets have their highest bit set. */
sct_status sct_rma_get(sct_rma *rma, const sct_target *from, void *to, size_t pitch,
                       sct_ticket *ticket);
sct_status sct_rma_accumulate(sct_rma *rma, sct_type type, const void *from, size_t pitch,
                              const sct_target *to, sct_ticket *ticket);
sct_status sct_rma_wait(sct_rma *rma, sct_ticket ticket);
bool sct_rma_done(const sct_rma *rma, sct_ticket ticket);
bool sct_rma_owns(sct_ticket ticket);

#endif
