/* rank.h - a rank of the MPI fabric.
 *
 * Ranks that can map each other's memory form a node: those of one machine, unless fewer ranks per
 * node are pretended. */
#ifndef SCT_FABRIC_MPI_RANK_H
#define SCT_FABRIC_MPI_RANK_H

#include "fabric/fabric.h"
#include "fabric/mpi/backoff.h"
#include "fabric/mpi/shared_memory.h"
#include "fabric/service/service.h"

#include <mpi.h>

typedef struct sct_mpi_collective sct_mpi_collective;
typedef struct sct_rma sct_rma;

typedef struct sct_mpi {
    sct_fabric base;
    MPI_Comm comm;  /* private to this fabric */
    sct_path path;  /* as requested */
    int *leader;    /* by rank: the lowest rank of its node */
    pid_t *pid;     /* by rank */
    int on_machine; /* ranks on this machine, including itself, whatever is pretended */
    bool crowded;   /* see backoff.h */
    sct_mpi_collective *collective;
    sct_service *service;  /* for memory that is not mapped; NULL: not needed yet */
    sct_rma *rma;          /* for allocated memory that is not mapped; NULL: the service does that
                            * too */
    bool rma_needs_target; /* RMA makes progress only while its target calls MPI */
    sct_segment *segments; /* open segments */
    uint64_t made;         /* number of segments so far; numbers them alike on all ranks */
} sct_mpi;

static inline sct_mpi *sct_mpi_of(sct_fabric *fabric) {
    return (sct_mpi *)fabric;
}

static inline bool sct_mpi_same_node(const sct_mpi *self, int rank) {
    return self->leader[rank] == self->leader[self->base.rank];
}

extern const sct_fabric_ops sct_mpi_ops;

void sct_mpi_close(sct_fabric *fabric);

/* Collective, without barrier: the minimum over the ranks. */
sct_status sct_mpi_least(sct_mpi *self, int mine, int *least);
/* Likewise: an allgather. */
sct_status sct_mpi_gather(sct_mpi *self, const void *mine, size_t bytes, void *all);
/* Likewise: SCT_NO_MEMORY on all ranks if one lacks memory. */
sct_status sct_mpi_all_have(sct_mpi *self, bool mine);

/* Collective: creates the service if there is none. */
sct_status sct_mpi_serve(sct_mpi *self);

/* Updates the fabric's needs_progress. */
void sct_mpi_note_progress(sct_mpi *self);

/* True if only this rank's own thread can serve others. */
static inline bool sct_mpi_must_serve(const sct_mpi *self) {
    return self->service && !sct_service_has_thread(self->service);
}

/* The context of a waiting rank. */
typedef struct sct_mpi_waiting {
    sct_mpi *self;
    sct_backoff backoff;
} sct_mpi_waiting;

sct_mpi_waiting sct_mpi_begin_waiting(sct_mpi *self);
/* The wait hook; `context` is an sct_mpi_waiting. */
void sct_mpi_idle(void *context);

#endif
