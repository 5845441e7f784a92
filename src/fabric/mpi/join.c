/* join.c - how ranks of the MPI fabric join and leave. */
#include "fabric/mpi/call.h"
#include "fabric/mpi/collective.h"
#include "fabric/mpi/mpi.h"
#include "fabric/mpi/node.h"
#include "fabric/mpi/rma.h"
#include "fabric/mpi/segment.h"
#include "fabric/mpi/wire_trial.h"

#include <stdlib.h>

/* ---- Waiting ---- */

sct_mpi_waiting sct_mpi_begin_waiting(sct_mpi *self) {
    return (sct_mpi_waiting){self, {.crowded = self->crowded}};
}

void sct_mpi_idle(void *context) {
    sct_mpi_waiting *waiting = context;
    if (waiting->self->service)
        sct_service_progress(waiting->self->service);
    sct_backoff_pass(&waiting->backoff);
}

/* ---- Joining ---- */

sct_status sct_mpi_least(sct_mpi *self, int mine, int *least) {
    sct_mpi_waiting waiting = sct_mpi_begin_waiting(self);
    sct_wait_hook hook = {sct_mpi_idle, &waiting};
    MPI_Request request;
    int code = MPI_Iallreduce(&mine, least, 1, MPI_INT, MPI_MIN, self->comm, &request);
    return sct_mpi_await(code, &request, "MPI_Iallreduce", &hook);
}

sct_status sct_mpi_gather(sct_mpi *self, const void *mine, size_t bytes, void *all) {
    sct_mpi_waiting waiting = sct_mpi_begin_waiting(self);
    sct_wait_hook hook = {sct_mpi_idle, &waiting};
    return sct_mpi_allgather(self->comm, mine, bytes, all, &hook);
}

sct_status sct_mpi_all_have(sct_mpi *self, bool mine) {
    int all = 0;
    sct_status status = sct_mpi_least(self, mine, &all);
    if (status == SCT_OK && !all)
        status = sct_fail(SCT_NO_MEMORY, "a rank has no memory for the fabric");
    return status;
}

static void discard(sct_mpi *self) {
    sct_mpi_collective_free(self->collective);
    sct_rma_destroy(self->rma);
    free(self->leader);
    free(self->pid);
    free(self);
}

static void end_service(sct_mpi *self) {
    sct_service_destroy(self->service);
    self->service = NULL;
}

sct_status sct_mpi_serve(sct_mpi *self) {
    sct_wire *wire;
    sct_path path;
    if (self->service)
        return SCT_OK;
    /* fails if a rank has left, for which calls of MPI would wait forever */
    sct_status status = sct_mpi_barrier(self, SCT_TO_MEET);
    if (status != SCT_OK)
        return status;
    status = sct_mpi_choose_wire(self, &wire, &path);
    if (status == SCT_OK)
        status = sct_service_create(wire, &self->service);
    status = sct_fabric_agree(&self->base, status);
    if (status != SCT_OK && self->service)
        end_service(self);
    if (self->service && self->base.path == SCT_PATH_AUTO)
        self->base.path = path;
    sct_mpi_note_progress(self);
    return status;
}

void sct_mpi_note_progress(sct_mpi *self) {
    self->base.needs_progress = sct_mpi_must_serve(self) || self->rma_needs_target;
}

/* Collective: chooses the path to remote memory. */
static sct_status choose_path(sct_mpi *self) {
    sct_rma_finding finding = SCT_RMA_FAILS;
    if (self->path == SCT_PATH_SERVICE || self->path == SCT_PATH_SOCKETS)
        return sct_mpi_serve(self);
    sct_status status = sct_rma_trial(self, &finding);
    if (status != SCT_OK)
        return status;
    if (self->path == SCT_PATH_AUTO && finding != SCT_RMA_INDEPENDENT)
        return sct_mpi_serve(self);
    if (finding == SCT_RMA_FAILS)
        return sct_fail(SCT_NO_ENGINE, "path: the RMA of MPI does not work between these ranks");
    status = sct_rma_create(&self->rma);
    self->rma_needs_target = finding == SCT_RMA_NEEDS_TARGET;
    self->base.path = SCT_PATH_RMA;
    status = sct_fabric_agree(&self->base, status);
    sct_mpi_note_progress(self);
    return status;
}

/* Collective: finds the nodes, and the path between them. */
static sct_status join(sct_mpi *self, const sct_world_options *options) {
    size_t ranks = (size_t)self->base.size;
    sct_shared table = {.file = -1};
    self->leader = calloc(ranks, sizeof *self->leader);
    self->pid = calloc(ranks, sizeof *self->pid);
    sct_status status = sct_mpi_all_have(self, self->leader && self->pid);
    if (status == SCT_OK)
        status = sct_mpi_find_node(self, options->ranks_per_node, &table);
    if (status == SCT_OK) {
        status = sct_mpi_collective_create(self->base.size, &table, &self->collective);
        status = sct_mpi_all_have(self, status == SCT_OK);
    }
    if (status == SCT_OK && self->base.ranks_per_node < self->base.size)
        status = choose_path(self);
    sct_shared_close(&table);
    return status;
}

sct_status sct_fabric_mpi(const sct_bootstrap *bootstrap, const sct_world_options *options,
                          sct_fabric **fabric) {
    sct_mpi_start *start = bootstrap->context;
    sct_mpi first = {.base = {.ops = &sct_mpi_ops,
                              .rank = bootstrap->rank,
                              .size = bootstrap->ranks,
                              .wrapped_per_node = 1},
                     .comm = start->comm,
                     .path = options->path};
    sct_mpi *self = malloc(sizeof *self);
    sct_status status = sct_mpi_all_have(&first, self != NULL);
    if (status != SCT_OK) {
        free(self);
        return status;
    }
    *self = first;
    status = join(self, options);
    if (status != SCT_OK) {
        discard(self);
        return status;
    }
    start->comm = MPI_COMM_NULL;
    *fabric = &self->base;
    return SCT_OK;
}

/* ---- Leaving ---- */

/* Serves the others until all leave. If the service of one has failed, all cancel theirs, since
 * messages are left. */
static void leave(sct_mpi *self) {
    int sound = true;
    sct_mpi_leave(self);
    if (self->service || sct_mpi_synchronises_by_messages(self))
        sct_mpi_least(self, !self->service || sct_service_works(self->service), &sound);
    sct_mpi_segments_free(self->segments);
    if (self->service && !sound)
        sct_service_cancel(self->service);
    if (self->service)
        end_service(self);
}

void sct_mpi_close(sct_fabric *fabric) {
    sct_mpi *self = sct_mpi_of(fabric);
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended) {
        leave(self);
        MPI_Comm_free(&self->comm);
    }
    discard(self);
}
