/* life.c - how ranks of the MPI fabric come together, and how they part. */
#include "fabric/mpi/call.h"
#include "fabric/mpi/meeting.h"
#include "fabric/mpi/mpi.h"
#include "fabric/mpi/segment.h"
#include "fabric/mpi/team.h"
#include "fabric/mpi/wire.h"

#include <limits.h>
#include <stdlib.h>

/* ---- Waiting ---- */

sct_mpi_waiting sct_mpi_begin_waiting(sct_mpi *self) {
    return (sct_mpi_waiting){self, {.spins = self->spins}};
}

void sct_mpi_idle(void *context) {
    sct_mpi_waiting *waiting = context;
    if (waiting->self->service)
        sct_service_progress(waiting->self->service);
    sct_patience_pass(&waiting->patience);
}

/* ---- The communicator ---- */

static sct_status check_running(void) {
    int begun = 0, ended = 0;
    MPI_Initialized(&begun);
    if (begun)
        MPI_Finalized(&ended);
    if (begun && !ended)
        return SCT_OK;
    return sct_fail(SCT_NO_ENGINE, ended ? "MPI has been finalized" : "MPI is not initialized");
}

static void idle_alone(void *context) {
    sct_patience_pass(context);
}

static int allgather(void *context, const void *mine, size_t bytes, void *all) {
    const sct_mpi_start *start = context;
    sct_patience patience = {.spins = 0};
    sct_idler idler = {idle_alone, &patience};
    MPI_Request request;
    if (bytes > INT_MAX)
        return 1;
    int code = MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, start->comm,
                              &request);
    return sct_mpi_await(code, &request, "MPI_Iallgather", &idler) != SCT_OK;
}

sct_status sct_mpi_start_create(MPI_Comm comm, sct_mpi_start *start) {
    sct_status status = check_running();
    if (status != SCT_OK)
        return status;
    if (comm == MPI_COMM_NULL)
        return sct_fail(SCT_BAD_ARGUMENT, "the communicator is missing");
    int between = 0, rank, ranks;
    if ((status = sct_mpi_check(MPI_Comm_test_inter(comm, &between), "MPI_Comm_test_inter")))
        return status;
    if (between)
        return sct_fail(SCT_BAD_ARGUMENT, "the communicator connects two groups");
    MPI_Comm own;
    if ((status = sct_mpi_check(MPI_Comm_dup(comm, &own), "MPI_Comm_dup")))
        return status;
    MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    MPI_Comm_rank(own, &rank);
    MPI_Comm_size(own, &ranks);
    *start = (sct_mpi_start){own,
                             {.size = sizeof start->bootstrap,
                              .rank = rank,
                              .ranks = ranks,
                              .allgather = allgather,
                              .context = start}};
    return SCT_OK;
}

void sct_mpi_start_destroy(sct_mpi_start *start) {
    if (start->comm != MPI_COMM_NULL)
        MPI_Comm_free(&start->comm);
}

/* ---- Coming together ---- */

sct_status sct_mpi_all_have(sct_mpi *self, bool mine) {
    sct_mpi_waiting waiting = sct_mpi_begin_waiting(self);
    sct_idler idler = {sct_mpi_idle, &waiting};
    MPI_Request request;
    int have = mine, all = 0;
    int code = MPI_Iallreduce(&have, &all, 1, MPI_INT, MPI_MIN, self->comm, &request);
    sct_status status = sct_mpi_await(code, &request, "MPI_Iallreduce", &idler);
    if (status == SCT_OK && !all)
        status = sct_fail(SCT_NO_MEMORY, "a rank has no memory for the fabric");
    return status;
}

static void discard(sct_mpi *self) {
    sct_mpi_meeting_free(self->meeting);
    free(self->leader);
    free(self->pid);
    free(self);
}

static void end_service(sct_mpi *self) {
    sct_service_destroy(self->service);
    self->service = NULL;
}

sct_status sct_mpi_serve(sct_mpi *self) {
    int level = MPI_THREAD_SINGLE;
    MPI_Comm comm;
    sct_wire *wire;
    if (self->service)
        return SCT_OK;
    MPI_Query_thread(&level);
    sct_status status = sct_mpi_check(MPI_Comm_dup(self->comm, &comm), "MPI_Comm_dup");
    if (status == SCT_OK)
        status = sct_mpi_wire_create(comm, level == MPI_THREAD_MULTIPLE, &wire);
    if (status == SCT_OK)
        status = sct_service_create(wire, &self->service);
    status = sct_fabric_agree(&self->base, status);
    if (status != SCT_OK && self->service)
        end_service(self);
    self->base.needs_progress = sct_mpi_must_answer(self);
    return status;
}

/* Collective. */
static sct_status come_together(sct_mpi *self, int ranks_per_node) {
    size_t ranks = (size_t)self->base.size;
    sct_shared table = {.file = -1};
    self->leader = calloc(ranks, sizeof *self->leader);
    self->pid = calloc(ranks, sizeof *self->pid);
    sct_status status = sct_mpi_all_have(self, self->leader && self->pid);
    if (status == SCT_OK)
        status = sct_mpi_find_team(self, ranks_per_node, &table);
    if (status == SCT_OK) {
        status = sct_mpi_meeting_create(self->base.size, &table, &self->meeting);
        status = sct_mpi_all_have(self, status == SCT_OK);
    }
    if (status == SCT_OK && self->base.ranks_per_node < self->base.size)
        status = sct_mpi_serve(self);
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
                     .comm = start->comm};
    sct_mpi *self = malloc(sizeof *self);
    sct_status status = sct_mpi_all_have(&first, self != NULL);
    if (status != SCT_OK) {
        free(self);
        return status;
    }
    *self = first;
    status = come_together(self, options->ranks_per_node);
    if (status != SCT_OK) {
        discard(self);
        return status;
    }
    start->comm = MPI_COMM_NULL;
    *fabric = &self->base;
    return SCT_OK;
}

/* ---- Parting ---- */

/* Ranks that still ask this one are answered until all have come. */
static void part(sct_mpi *self) {
    sct_mpi_waiting waiting = sct_mpi_begin_waiting(self);
    sct_idler idler = {sct_mpi_idle, &waiting};
    MPI_Request request;
    sct_mpi_leave(self);
    if (self->service || sct_mpi_meets_by_messages(self)) {
        int code = MPI_Ibarrier(self->comm, &request);
        sct_mpi_await(code, &request, "MPI_Ibarrier", &idler);
    }
    sct_mpi_segments_free(self->segments);
    if (self->service)
        end_service(self);
}

void sct_mpi_close(sct_fabric *fabric) {
    sct_mpi *self = sct_mpi_of(fabric);
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended) {
        part(self);
        MPI_Comm_free(&self->comm);
    }
    discard(self);
}
