/* wire.c - messages by MPI: a kind is a tag. All that is under way is moved by one call.
 *
 * Whatever comes unexpected is short: requests, and what follows them before its receive has been
 * made. */
#include "fabric/mpi/wire.h"

#include "fabric/mpi/call.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

/* Open MPI sends up to 64 KiB over TCP, its own header included, without asking first; larger
 * messages would cost two more trips. On a wire of 1 Gbit/s this is half a millisecond. */
enum { MOST_BYTES = (1 << 16) - 128 };

typedef enum slot_state { FREE, SENDS, RECEIVES, DONE } slot_state;

typedef struct mpi_wire {
    sct_wire base;
    MPI_Comm comm;
    /* By slot; the one at index i is the message i. */
    MPI_Request *requests;
    slot_state *states;
    int *free; /* those below `used` that are free */
    int room, used, free_count;
    /* What a test found. */
    int *indices;
    MPI_Status *statuses;
} mpi_wire;

static mpi_wire *self_of(sct_wire *wire) {
    return (mpi_wire *)wire;
}

/* ---- Slots ---- */

static void *grown(void *array, int room, size_t size, bool *fine) {
    void *more = realloc(array, (size_t)room * size);
    *fine &= more != NULL;
    return more ? more : array;
}

static sct_status make_room(mpi_wire *self) {
    if (self->free_count > 0 || self->used < self->room)
        return SCT_OK;
    int room = self->room > 0 ? 2 * self->room : 64;
    bool fine = true;
    self->requests = grown(self->requests, room, sizeof *self->requests, &fine);
    self->states = grown(self->states, room, sizeof *self->states, &fine);
    self->free = grown(self->free, room, sizeof *self->free, &fine);
    self->indices = grown(self->indices, room, sizeof *self->indices, &fine);
    self->statuses = grown(self->statuses, room, sizeof *self->statuses, &fine);
    if (!fine)
        return sct_fail(SCT_NO_MEMORY, "no memory for %d messages", room);
    self->room = room;
    return SCT_OK;
}

/* There is room. */
static int take_slot(mpi_wire *self) {
    int slot = self->free_count > 0 ? self->free[--self->free_count] : self->used++;
    self->requests[slot] = MPI_REQUEST_NULL;
    return slot;
}

static void free_slot(mpi_wire *self, int slot) {
    self->states[slot] = FREE;
    self->free[self->free_count++] = slot;
}

/* What began, if it did. */
static sct_status begun(mpi_wire *self, int slot, slot_state state, int code, const char *call,
                        sct_message *message) {
    sct_status status = sct_mpi_check(code, call);
    if (status != SCT_OK) {
        self->requests[slot] = MPI_REQUEST_NULL;
        free_slot(self, slot);
        return status;
    }
    self->states[slot] = state;
    *message = (sct_message)slot;
    return SCT_OK;
}

/* ---- Messages ---- */

static sct_status wire_send(sct_wire *wire, int rank, int kind, const void *from, size_t bytes,
                            sct_message *message) {
    mpi_wire *self = self_of(wire);
    assert(bytes <= INT_MAX);
    sct_status status = make_room(self);
    if (status != SCT_OK)
        return status;
    int slot = take_slot(self);
    int code = MPI_Isend(from, (int)bytes, MPI_BYTE, rank, kind, self->comm, &self->requests[slot]);
    return begun(self, slot, SENDS, code, "MPI_Isend", message);
}

static sct_status wire_receive(sct_wire *wire, int rank, int kind, void *to, size_t bytes,
                               sct_message *message) {
    mpi_wire *self = self_of(wire);
    assert(bytes <= INT_MAX);
    sct_status status = make_room(self);
    if (status != SCT_OK)
        return status;
    int slot = take_slot(self);
    int code = MPI_Irecv(to, (int)bytes, MPI_BYTE, rank, kind, self->comm, &self->requests[slot]);
    return begun(self, slot, RECEIVES, code, "MPI_Irecv", message);
}

/* A probe takes the message itself, so that no other thread's receive can. */
static sct_status wire_take(sct_wire *wire, int kind, void *to, size_t bytes, int *rank,
                            bool *taken) {
    int there = 0, count = 0;
    MPI_Message message;
    MPI_Status found;
    sct_status status = sct_mpi_check(
        MPI_Improbe(MPI_ANY_SOURCE, kind, self_of(wire)->comm, &there, &message, &found),
        "MPI_Improbe");
    *taken = status == SCT_OK && there;
    if (!*taken)
        return status;
    MPI_Get_count(&found, MPI_BYTE, &count);
    if (count < 0 || (size_t)count > bytes)
        return sct_fail(SCT_FAILED, "a message of %d bytes from rank %d is too long", count,
                        found.MPI_SOURCE);
    *rank = found.MPI_SOURCE;
    return sct_mpi_check(MPI_Mrecv(to, count, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
}

/* The first error among the messages that were found. */
static int error_in(const mpi_wire *self, int count) {
    for (int i = 0; i < count; i++) {
        int code = self->statuses[i].MPI_ERROR;
        if (code != MPI_SUCCESS && code != MPI_ERR_PENDING)
            return code;
    }
    return MPI_ERR_IN_STATUS;
}

static sct_status wire_progress(sct_wire *wire) {
    mpi_wire *self = self_of(wire);
    if (self->used == self->free_count)
        return SCT_OK;
    int count;
    int code = MPI_Testsome(self->used, self->requests, &count, self->indices, self->statuses);
    if (code == MPI_ERR_IN_STATUS)
        code = error_in(self, count);
    for (int i = 0; code == MPI_SUCCESS && count != MPI_UNDEFINED && i < count; i++)
        self->states[self->indices[i]] = DONE;
    return sct_mpi_check(code, "MPI_Testsome");
}

static sct_status wire_test(sct_wire *wire, sct_message message, bool *done) {
    mpi_wire *self = self_of(wire);
    *done = self->states[message] == DONE;
    if (*done)
        free_slot(self, (int)message);
    return SCT_OK;
}

/* ---- The end ---- */

/* Of requests in one state. */
static void drop(mpi_wire *self, slot_state state) {
    for (int i = 0; i < self->used; i++) {
        if (self->states[i] != state)
            continue;
        if (state == RECEIVES)
            MPI_Cancel(&self->requests[i]);
        MPI_Request_free(&self->requests[i]);
        free_slot(self, i);
    }
}

/* What is being sent cannot be stopped. */
static void wire_cancel(sct_wire *wire) {
    drop(self_of(wire), RECEIVES);
}

static void wire_close(sct_wire *wire) {
    mpi_wire *self = self_of(wire);
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended) {
        drop(self, RECEIVES);
        drop(self, SENDS);
        MPI_Comm_free(&self->comm);
    }
    free(self->requests);
    free(self->states);
    free(self->free);
    free(self->indices);
    free(self->statuses);
    free(self);
}

static const sct_wire_ops ops = {.close = wire_close,
                                 .send = wire_send,
                                 .receive = wire_receive,
                                 .take = wire_take,
                                 .progress = wire_progress,
                                 .test = wire_test,
                                 .cancel = wire_cancel};

sct_status sct_mpi_wire_create(MPI_Comm comm, bool threaded, sct_wire **wire) {
    mpi_wire *self = calloc(1, sizeof *self);
    if (!self) {
        MPI_Comm_free(&comm);
        return sct_fail(SCT_NO_MEMORY, "no memory for a wire");
    }
    *self = (mpi_wire){.base = {.ops = &ops, .most_bytes = MOST_BYTES, .threaded = threaded},
                       .comm = comm};
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &self->base.rank);
    MPI_Comm_size(comm, &self->base.size);
    *wire = &self->base;
    return SCT_OK;
}
