/* rank.h - what a rank of the MPI fabric is, to the files that make it up.
 *
 * Ranks that can map each other's memory form a team: those of one machine, unless a smaller number
 * of ranks per node is pretended. */
#ifndef SCT_FABRIC_MPI_RANK_H
#define SCT_FABRIC_MPI_RANK_H

#include "fabric/fabric.h"
#include "fabric/mpi/backoff.h"
#include "fabric/mpi/shared_memory.h"
#include "fabric/service/service.h"

#include <mpi.h>

typedef struct sct_mpi_meeting sct_mpi_meeting;
typedef struct sct_rma sct_rma;

typedef struct sct_mpi {
    sct_fabric base;
    MPI_Comm comm;  /* of this fabric alone */
    sct_path path;  /* as asked for */
    int *leader;    /* by rank: the lowest of its team */
    pid_t *pid;     /* by rank */
    int on_machine; /* ranks of this rank's machine, itself one of them, whatever is pretended */
    bool crowded;   /* see patience.h */
    sct_mpi_meeting *meeting;
    sct_service *service;  /* for what is not mapped; NULL: not needed as yet */
    sct_rma *rma;          /* for what is opened and not mapped; NULL: the service does that, too */
    sct_segment *segments; /* that are not closed */
    uint64_t made;         /* segments so far: numbers them, alike on all ranks */
} sct_mpi;

static inline sct_mpi *sct_mpi_of(sct_fabric *fabric) {
    return (sct_mpi *)fabric;
}

static inline bool sct_mpi_in_team(const sct_mpi *self, int rank) {
    return self->leader[rank] == self->leader[self->base.rank];
}

extern const sct_fabric_ops sct_mpi_ops;

void sct_mpi_close(sct_fabric *fabric);

/* Collective, without a meeting: the least of the ranks' numbers. */
sct_status sct_mpi_least(sct_mpi *self, int mine, int *least);
/* Likewise: an allgather. */
sct_status sct_mpi_gather(sct_mpi *self, const void *mine, size_t bytes, void *all);
/* Likewise: SCT_NO_MEMORY on all if one rank lacks what it needs. */
sct_status sct_mpi_all_have(sct_mpi *self, bool mine);

/* Collective: makes the service if there is none. */
sct_status sct_mpi_serve(sct_mpi *self);

/* Sets the fabric's needs_progress. */
void sct_mpi_note_progress(sct_mpi *self);

/* Whether nobody but this rank's own thread answers others. */
static inline bool sct_mpi_must_answer(const sct_mpi *self) {
    return self->service && !sct_service_has_thread(self->service);
}

/* What a rank does while it waits. */
typedef struct sct_mpi_waiting {
    sct_mpi *self;
    sct_patience patience;
} sct_mpi_waiting;

sct_mpi_waiting sct_mpi_begin_waiting(sct_mpi *self);
/* `context` is an sct_mpi_waiting. */
void sct_mpi_idle(void *context);

#endif
