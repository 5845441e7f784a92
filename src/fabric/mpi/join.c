/* join.c - how the processes of an MPI job join, and what they can do together. */
#include "base/log.h"
#include "base/network.h"
#include "fabric/mpi/call.h"
#include "fabric/mpi/mpi.h"
#include "fabric/mpi/rma.h"
#include "fabric/mpi/wire.h"

#include <stdlib.h>
#include <string.h>

static sct_status check_running(void) {
    int begun = 0, ended = 0;
    MPI_Initialized(&begun);
    if (begun)
        MPI_Finalized(&ended);
    if (begun && !ended)
        return SCT_OK;
    return sct_fail(SCT_NO_ENGINE, ended ? "MPI has been finalized" : "MPI is not initialized");
}

static int allgather(void *context, const void *mine, size_t bytes, void *all) {
    const sct_mpi_start *start = context;
    return sct_mpi_allgather(start->comm, mine, bytes, all, NULL) != SCT_OK;
}

sct_status sct_mpi_start_create(MPI_Comm comm, sct_mpi_start *start) {
    sct_status status = check_running();
    if (status != SCT_OK)
        return status;
    if (comm == MPI_COMM_NULL)
        return sct_fail(SCT_BAD_ARGUMENT, "the communicator is MPI_COMM_NULL");
    int between = 0, rank, ranks;
    if ((status = sct_mpi_check(MPI_Comm_test_inter(comm, &between), "MPI_Comm_test_inter")))
        return status;
    if (between)
        return sct_fail(SCT_BAD_ARGUMENT, "the communicator is an intercommunicator");
    MPI_Comm own;
    if ((status = sct_mpi_duplicate(comm, &own, NULL)))
        return status;
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

/* The order of unsigned words as that of signed ones, and back: MPICH 4.0 compares all as signed.
 */
static void change_sign(uint64_t *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        words[i] ^= (uint64_t)1 << 63;
}

static sct_status reduce(sct_process *self, sct_reduction how, uint64_t *words, size_t count) {
    if (self->gathers_itself)
        return sct_process_allreduce(self, how, words, count);
    sct_process_waiting waiting = sct_process_begin_waiting(self);
    sct_wait_hook hook = {.idle = sct_process_idle, .context = &waiting};
    MPI_Request request;
    if (how == SCT_LEAST)
        change_sign(words, count);
    int code =
        MPI_Iallreduce(MPI_IN_PLACE, words, (int)count, MPI_INT64_T,
                       how == SCT_LEAST ? MPI_MIN : MPI_BOR, sct_mpi_of(self)->comm, &request);
    sct_status status =
        sct_mpi_await(code, &request, "MPI_Iallreduce", self->collective ? &hook : NULL);
    if (how == SCT_LEAST)
        change_sign(words, count);
    return status;
}

/* Collective, without barrier: an allgather. */
static sct_status mpi_gather(sct_process *self, const void *mine, size_t bytes, void *all) {
    if (self->gathers_itself)
        return sct_process_gather(self, mine, bytes, all);
    sct_process_waiting waiting = sct_process_begin_waiting(self);
    sct_wait_hook hook = {.idle = sct_process_idle, .context = &waiting};
    return sct_mpi_allgather(sct_mpi_of(self)->comm, mine, bytes, all,
                             self->collective ? &hook : NULL);
}

/* Collective. Finds out whether all hosts have such a network. */
static sct_status find_network(sct_process *self) {
    int all = 0;
    sct_status status = sct_process_least(self, sct_has_rdma_network("/sys"), &all);
    sct_mpi_of(self)->rdma = all;
    return status;
}

/* Between hosts that only have TCP, windows of MPI fail, or wait for their target. */
static sct_status choose_path(sct_process *self) {
    bool works = false;
    sct_status status = find_network(self);
    if (status != SCT_OK)
        return status;
    bool only_tcp = self->on_machine < self->base.size && !sct_mpi_of(self)->rdma;
    if (self->path == SCT_PATH_AUTO && only_tcp)
        sct_log_write(SCT_LOG_INFO, self->base.rank,
                      "RMA of MPI is not used: the hosts have no network with RDMA");
    if (self->path == SCT_PATH_SERVICE || self->path == SCT_PATH_SOCKETS ||
        (self->path == SCT_PATH_AUTO && only_tcp))
        return sct_process_serve(self);
    status = sct_rma_trial(sct_mpi_of(self), &works);
    if (status != SCT_OK)
        return status;
    if (!works && self->path == SCT_PATH_AUTO) {
        sct_log_write(SCT_LOG_INFO, self->base.rank,
                      "RMA of MPI is not used: it does not work between these ranks");
        return sct_process_serve(self);
    }
    if (!works)
        return sct_fail(SCT_NO_ENGINE, "path: the RMA of MPI does not work between these ranks");
    status = sct_rma_create(&sct_mpi_of(self)->rma);
    self->direct = &sct_rma_ops;
    self->base.path = SCT_PATH_RMA;
    sct_log_write(SCT_LOG_INFO, self->base.rank,
                  "memory that ranks cannot point to is reached by RMA of MPI");
    status = sct_fabric_agree(&self->base, status);
    sct_process_note_progress(self);
    return status;
}

static void discard(sct_process *process) {
    sct_mpi *self = sct_mpi_of(process);
    sct_process_discard(process);
    sct_rma_destroy(self->rma);
    free(self);
}

static void leave_and_discard(sct_process *process) {
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended) {
        sct_process_leave(process);
        MPI_Comm_free(&sct_mpi_of(process)->comm);
    }
    discard(process);
}

static const sct_process_ops ops = {.gather = mpi_gather,
                                    .reduce = reduce,
                                    .choose_path = choose_path,
                                    .connect = sct_mpi_choose_wire,
                                    .close = leave_and_discard,
                                    .discard = discard};

/* The first line of what the MPI says of itself. */
static void log_version(int rank) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    if (!sct_log_wants(SCT_LOG_INFO, rank))
        return;
    MPI_Get_library_version(text, &length);
    sct_log_write(SCT_LOG_INFO, rank, "the MPI is %.*s", (int)strcspn(text, "\n"), text);
}

sct_status sct_fabric_mpi(const sct_bootstrap *bootstrap, const sct_world_options *options,
                          sct_fabric **fabric) {
    sct_mpi_start *start = bootstrap->context;
    sct_mpi first = {.process = sct_process_begin(&ops, bootstrap, options), .comm = start->comm};
    sct_process *self;
    sct_status status = sct_process_join(&first.process, sizeof first, options, &self);
    if (status != SCT_OK)
        return status;
    start->comm = MPI_COMM_NULL;
    *fabric = &self->base;
    log_version(bootstrap->rank);
    return SCT_OK;
}
