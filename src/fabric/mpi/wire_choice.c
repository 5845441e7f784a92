/* wire_choice.c - see wire_choice.h.
 *
 * Where MPI has only TCP, both wires take as long, and sockets cost less processor time. Where it
 * has a faster network, MPI takes a fraction of the time. */
#include "fabric/mpi/wire_choice.h"

#include "base/clock.h"
#include "fabric/mpi/call.h"
#include "fabric/mpi/wire.h"

#include <stdlib.h>

/* Large enough for packets of full size, which may be lost where small ones are not; and how long
 * their arrival may take. */
enum { BYTES = 1 << 17, KIND = 1, LIMIT_MS = 2000 };

static sct_status by_messages(sct_process *self, sct_wire **wire) {
    int level = MPI_THREAD_SINGLE;
    MPI_Comm comm;
    MPI_Query_thread(&level);
    sct_process_waiting waiting = sct_process_begin_waiting(self);
    sct_wait_hook hook = {.idle = sct_process_idle, .context = &waiting};
    sct_status status = sct_mpi_duplicate(sct_mpi_of(self)->comm, &comm, &hook);
    if (status == SCT_OK)
        status = sct_mpi_wire_create(comm, level == MPI_THREAD_MULTIPLE, wire);
    sct_status all = sct_fabric_agree(&self->base, status);
    if (all == SCT_OK)
        return SCT_OK;
    if (status == SCT_OK)
        (*wire)->ops->close(*wire);
    *wire = NULL;
    return all;
}

/* ---- Whether a wire works ---- */

/* Waits until both are done, with a limit. */
static sct_status await(sct_process *self, sct_wire *wire, const sct_message messages[2]) {
    sct_process_waiting waiting = sct_process_begin_waiting(self);
    sct_status status = SCT_OK;
    int64_t end = sct_now_ns() + LIMIT_MS * INT64_C(1000000);
    for (int waited = 0; waited < 2 && status == SCT_OK;) {
        bool done = false;
        status = wire->ops->progress(wire);
        if (status == SCT_OK)
            status = wire->ops->test(wire, messages[waited], &done);
        waited += done;
        if (!done)
            sct_process_idle(&waiting);
        if (!done && sct_now_ns() > end)
            return SCT_FAILED;
    }
    return status;
}

/* Sends to the rank with the same place in the next node, and receives from that of the previous
 * node. */
static sct_status exchange(sct_process *self, sct_wire *wire, char *memory) {
    int size = wire->size, shift = self->base.ranks_per_node;
    int to = (wire->rank + shift) % size, from = (wire->rank + size - shift) % size;
    sct_message messages[2];
    sct_status status = wire->ops->receive(wire, from, KIND, memory, BYTES, &messages[0]);
    if (status == SCT_OK)
        status = wire->ops->send(wire, to, KIND, memory + BYTES, BYTES, &messages[1]);
    return status == SCT_OK ? await(self, wire, messages) : status;
}

static void drop(sct_wire **wire) {
    (*wire)->ops->close(*wire);
    *wire = NULL;
}

/* Collective. Closes a wire that does not work. Its messages may still be on their way, and then
 * the memory that they are in is left. */
static sct_status keep_if_works(sct_process *self, sct_wire **wire) {
    char *memory = calloc(2, BYTES);
    int all = 0;
    sct_status status = sct_process_all_have(self, memory != NULL);
    if (status != SCT_OK) {
        free(memory);
        drop(wire);
        return status;
    }
    status = sct_process_least(self, exchange(self, *wire, memory) == SCT_OK, &all);
    bool works = status == SCT_OK && all;
    if (!works)
        (*wire)->ops->cancel(*wire);
    if (works || !sct_wire_reads_on(*wire))
        free(memory);
    if (!works)
        drop(wire);
    return status;
}

/* ---- The choice ---- */

static sct_status make_wire(sct_process *self, sct_path path, sct_wire **wire) {
    return path == SCT_PATH_SOCKETS ? sct_process_connect(self, wire) : by_messages(self, wire);
}

/* The first wire that works. */
static sct_status choose(sct_process *self, sct_wire **wire, sct_path *path) {
    sct_status status = SCT_OK;
    *wire = NULL;
    for (int i = 0; i < 2 && status == SCT_OK && !*wire; i++) {
        *path = (i == 0) == sct_mpi_of(self)->rdma ? SCT_PATH_SERVICE : SCT_PATH_SOCKETS;
        if (make_wire(self, *path, wire) == SCT_OK)
            status = keep_if_works(self, wire);
    }
    if (status == SCT_OK && !*wire)
        return sct_fail(SCT_FAILED, "ranks on different hosts cannot reach each other");
    return status;
}

sct_status sct_mpi_choose_wire(sct_process *self, sct_wire **wire, sct_path *path) {
    bool several = self->on_machine < self->base.size;
    if (self->path == SCT_PATH_AUTO && several)
        return choose(self, wire, path);
    *path = self->path == SCT_PATH_SOCKETS ? SCT_PATH_SOCKETS : SCT_PATH_SERVICE;
    return make_wire(self, *path, wire);
}
