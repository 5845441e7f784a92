/* wire_trial.c - compares both wires: each rank sends a little to another node.
 *
 * Where MPI has only TCP, both take as long, and sockets cost less processor time. Where MPI has a
 * faster network, it takes a fraction of the time. */
#include "fabric/mpi/wire_trial.h"

#include "base/clock.h"
#include "fabric/mpi/call.h"
#include "fabric/mpi/wire.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>

enum { BYTES = 1 << 17, KIND = 1, TRIALS = 2, MUCH_FASTER = 3 };
enum { PATIENCE_US = 2000000 };

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
    if (all != SCT_OK && status == SCT_OK)
        (*wire)->ops->close(*wire);
    return all;
}

/* ---- The trial ---- */

/* Waits until both are done, with a limit, because small packets may pass where large ones do not.
 */
static sct_status await(sct_process *self, sct_wire *wire, const sct_message messages[2]) {
    sct_process_waiting waiting = sct_process_begin_waiting(self);
    sct_status status = SCT_OK;
    int64_t end = sct_now_ns() / 1000 + PATIENCE_US;
    for (int waited = 0; waited < 2 && status == SCT_OK;) {
        bool done = false;
        status = wire->ops->progress(wire);
        if (status == SCT_OK)
            status = wire->ops->test(wire, messages[waited], &done);
        waited += done;
        if (!done)
            sct_process_idle(&waiting);
        if (!done && sct_now_ns() / 1000 > end)
            return SCT_FAILED;
    }
    return status;
}

/* Sends to the rank `distance` above, and receives from the one below. */
static sct_status exchange(sct_process *self, sct_wire *wire, char *memory) {
    int size = wire->size, shift = self->base.ranks_per_node;
    int to = (wire->rank + shift) % size, from = (wire->rank + size - shift) % size;
    sct_message messages[2];
    sct_status status = wire->ops->receive(wire, from, KIND, memory, BYTES, &messages[0]);
    if (status == SCT_OK)
        status = wire->ops->send(wire, to, KIND, memory + BYTES, BYTES, &messages[1]);
    return status == SCT_OK ? await(self, wire, messages) : status;
}

/* Microseconds of the slowest rank for the second of two consecutive messages: a rate-limited
 * network lets some bytes through at once. INT_MAX if it fails anywhere. */
static sct_status try_wire(sct_process *self, sct_wire *wire, char *memory, int *us) {
    int ignored, least = 0;
    sct_status status = sct_mpi_least(self, 0, &ignored); /* all begin together */
    if (status != SCT_OK)
        return status;
    bool exchanged = exchange(self, wire, memory) == SCT_OK;
    int64_t start = sct_now_ns() / 1000;
    exchanged = exchanged && exchange(self, wire, memory) == SCT_OK;
    status =
        sct_mpi_least(self, exchanged ? -(int)(sct_now_ns() / 1000 - start) : -INT_MAX, &least);
    *us = -least;
    return status;
}

/* The better wire; NULL if both failed. A wire that failed is not tried again, because its messages
 * may still be on their way. */
static sct_status compare(sct_process *self, sct_wire *messages, sct_wire *sockets, char *memory,
                          sct_wire **best) {
    sct_wire *const wires[2] = {messages, sockets};
    int least[2] = {INT_MAX - 1, INT_MAX - 1};
    sct_status status = SCT_OK;
    for (int i = 0; i < 2 * TRIALS && status == SCT_OK; i++) {
        int *us = &least[i % 2], took = 0;
        if (*us == INT_MAX)
            continue;
        status = try_wire(self, wires[i % 2], memory, &took);
        if (took == INT_MAX)
            wires[i % 2]->ops->cancel(wires[i % 2]);
        *us = took == INT_MAX || took < *us ? took : *us;
    }
    bool better = least[1] < INT_MAX && least[1] / MUCH_FASTER <= least[0];
    *best = status != SCT_OK || (least[0] == INT_MAX && !better) ? NULL : wires[better];
    if (status == SCT_OK && !*best)
        status = sct_fail(SCT_FAILED, "ranks on different hosts cannot reach each other");
    return status;
}

static sct_status choose_better(sct_process *self, sct_wire *messages, sct_wire **wire,
                                sct_path *path) {
    sct_wire *sockets, *best = NULL;
    if (sct_process_connect(self, &sockets) != SCT_OK)
        return SCT_OK;
    char *memory = calloc(2, BYTES);
    sct_status status = sct_process_all_have(self, memory != NULL);
    if (status == SCT_OK)
        status = compare(self, messages, sockets, memory, &best);
    if (best != messages)
        messages->ops->close(messages);
    if (best != sockets)
        sockets->ops->close(sockets);
    free(memory);
    *wire = best;
    *path = best == sockets ? SCT_PATH_SOCKETS : SCT_PATH_SERVICE;
    return status;
}

sct_status sct_mpi_choose_wire(sct_process *self, sct_wire **wire, sct_path *path) {
    bool several = self->on_machine < self->base.size;
    *path = self->path == SCT_PATH_SOCKETS ? SCT_PATH_SOCKETS : SCT_PATH_SERVICE;
    if (*path == SCT_PATH_SOCKETS)
        return sct_process_connect(self, wire);
    sct_status status = by_messages(self, wire);
    if (status == SCT_OK && self->path == SCT_PATH_AUTO && several)
        status = choose_better(self, *wire, wire, path);
    return status;
}
