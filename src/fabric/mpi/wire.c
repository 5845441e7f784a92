/* wire.c - messages by MPI, with the kind as tag. One call moves everything in flight.
 *
 * Beyond some length, an MPI sends a message only after asking the receiver. Over TCP that costs
 * two more trips, each queued behind other traffic: where both ranks send, the wire idles half of
 * the time. So messages are sent in parts below that length.
 *
 * Where MPI has only TCP, this wire and that of sockets take as long, and sockets cost less
 * processor time. Where it has a faster network, MPI takes a fraction of the time. */
#include "fabric/mpi/wire.h"

#include "base/clock.h"
#include "fabric/mpi/call.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = (1 << 16) - 128, SHORT_PART = 1 << 14 };

enum { NONE = -1 };

typedef enum slot_state { FREE, SENDS, RECEIVES, DONE } slot_state;

/* One part of a message. The message's number is the slot of its first part. */
typedef struct slot {
    slot_state state;
    int bytes;
    int first;   /* slot of the first part */
    int pending; /* in the first slot: parts in flight */
    int next;    /* in a free slot: the next free one, or NONE */
} slot;

typedef struct mpi_wire {
    sct_wire base;
    MPI_Comm comm;
    bool cancelled; /* messages may be left that nobody receives */
    size_t part;    /* maximum bytes of a part */
    MPI_Request *requests;
    slot *slots;
    int room, used, free; /* first free slot, or NONE */
    /* The results of MPI_Testsome. */
    int *indices;
    MPI_Status *statuses;
} mpi_wire;

static mpi_wire *self_of(sct_wire *wire) {
    return (mpi_wire *)wire;
}

/* ---- Slots ---- */

static void *grown(void *array, int room, size_t size, bool *grew) {
    void *more = realloc(array, (size_t)room * size);
    if (more)
        return more;
    *grew = false;
    return array;
}

static sct_status make_room(mpi_wire *self) {
    int room = self->room > 0 ? 2 * self->room : 64;
    bool grew = true;
    self->requests = grown(self->requests, room, sizeof *self->requests, &grew);
    self->slots = grown(self->slots, room, sizeof *self->slots, &grew);
    self->indices = grown(self->indices, room, sizeof *self->indices, &grew);
    self->statuses = grown(self->statuses, room, sizeof *self->statuses, &grew);
    if (!grew)
        return sct_fail(SCT_NO_MEMORY, "no memory for %d messages", room);
    self->room = room;
    return SCT_OK;
}

static sct_status take_slot(mpi_wire *self, int *taken) {
    if (self->free != NONE) {
        *taken = self->free;
        self->free = self->slots[*taken].next;
        return SCT_OK;
    }
    sct_status status = self->used < self->room ? SCT_OK : make_room(self);
    if (status == SCT_OK)
        *taken = self->used++;
    return status;
}

static void free_slot(mpi_wire *self, int at) {
    self->slots[at].state = FREE;
    self->slots[at].next = self->free;
    self->free = at;
}

/* Completes a part. The first slot stays until the message has been tested. */
static void finish_slot(mpi_wire *self, int at) {
    int first = self->slots[at].first;
    if (at != first)
        free_slot(self, at);
    if (--self->slots[first].pending == 0)
        self->slots[first].state = DONE;
}

/* ---- Messages ---- */

/* Starts a part; first: NONE for the first part, whose slot it becomes. */
static sct_status begin_part(mpi_wire *self, slot_state state, int rank, int kind, char *bytes,
                             int count, int *first) {
    int at = 0, code;
    sct_status status = take_slot(self, &at);
    if (status != SCT_OK)
        return status;
    MPI_Request *request = &self->requests[at];
    if (state == SENDS)
        code = MPI_Isend(bytes, count, MPI_BYTE, rank, kind, self->comm, request);
    else
        code = MPI_Irecv(bytes, count, MPI_BYTE, rank, kind, self->comm, request);
    if (code != MPI_SUCCESS) {
        *request = MPI_REQUEST_NULL;
        free_slot(self, at);
        return sct_mpi_check(code, state == SENDS ? "MPI_Isend" : "MPI_Irecv");
    }
    *first = *first == NONE ? at : *first;
    self->slots[at] = (slot){.state = state, .bytes = count, .first = *first};
    self->slots[*first].pending++;
    return SCT_OK;
}

/* Starts all parts. Parts of one kind arrive in order, and receivers split alike. */
static sct_status begin(mpi_wire *self, slot_state state, int rank, int kind, char *bytes,
                        size_t count, sct_message *message) {
    int first = NONE;
    for (size_t at = 0; at < count || first == NONE; at += self->part) {
        size_t part = count - at < self->part ? count - at : self->part;
        sct_status status = begin_part(self, state, rank, kind, bytes + at, (int)part, &first);
        if (status != SCT_OK)
            return status;
    }
    *message = (sct_message)first;
    return SCT_OK;
}

static sct_status wire_send(sct_wire *wire, int rank, int kind, const void *from, size_t bytes,
                            sct_message *message) {
    return begin(self_of(wire), SENDS, rank, kind, (char *)from, bytes, message);
}

static sct_status wire_receive(sct_wire *wire, int rank, int kind, void *to, size_t bytes,
                               sct_message *message) {
    return begin(self_of(wire), RECEIVES, rank, kind, to, bytes, message);
}

/* A matched probe takes the message, so that no other thread can receive it. */
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

/* The first error among the completed messages. */
static int error_in(const mpi_wire *self, int count) {
    int code = MPI_ERR_IN_STATUS;
    for (int i = count - 1; i >= 0; i--) {
        int of_message = self->statuses[i].MPI_ERROR;
        if (of_message != MPI_SUCCESS && of_message != MPI_ERR_PENDING)
            code = of_message;
    }
    return code;
}

/* Checks a completed part. */
static sct_status check_part(const slot *part, const MPI_Status *found) {
    int count = 0;
    if (part->state != RECEIVES)
        return SCT_OK;
    MPI_Get_count(found, MPI_BYTE, &count);
    if (count == part->bytes)
        return SCT_OK;
    return sct_fail(SCT_FAILED, "rank %d sent %d bytes instead of %d", found->MPI_SOURCE, count,
                    part->bytes);
}

static sct_status wire_progress(sct_wire *wire) {
    mpi_wire *self = self_of(wire);
    int count = 0;
    int code = MPI_Testsome(self->used, self->requests, &count, self->indices, self->statuses);
    if (code == MPI_ERR_IN_STATUS)
        code = error_in(self, count);
    sct_status status = sct_mpi_check(code, "MPI_Testsome");
    if (count == MPI_UNDEFINED)
        return status;
    for (int i = 0; i < count && status == SCT_OK; i++) {
        int at = self->indices[i];
        status = check_part(&self->slots[at], &self->statuses[i]);
        finish_slot(self, at);
    }
    return status;
}

static sct_status wire_test(sct_wire *wire, sct_message message, bool *done) {
    mpi_wire *self = self_of(wire);
    *done = self->slots[message].state == DONE;
    if (*done)
        free_slot(self, (int)message);
    return SCT_OK;
}

/* ---- The end ---- */

/* Completed requests no longer exist. */
static void drop(mpi_wire *self, slot_state state) {
    for (int i = 0; i < self->used; i++) {
        if (self->slots[i].state != state || self->requests[i] == MPI_REQUEST_NULL)
            continue;
        if (state == RECEIVES)
            MPI_Cancel(&self->requests[i]);
        MPI_Request_free(&self->requests[i]);
    }
}

/* Sends cannot be cancelled. */
static void wire_cancel(sct_wire *wire) {
    drop(self_of(wire), RECEIVES);
    self_of(wire)->cancelled = true;
}

/* A receiver may fetch a message from the sender's memory when it receives it, if ever. */
static bool wire_reads_on(sct_wire *wire) {
    const mpi_wire *self = self_of(wire);
    for (int i = 0; i < self->used; i++)
        if (self->slots[i].state == SENDS && self->requests[i] != MPI_REQUEST_NULL)
            return true;
    return false;
}

static void wire_close(sct_wire *wire) {
    mpi_wire *self = self_of(wire);
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended) {
        drop(self, RECEIVES);
        drop(self, SENDS);
        /* An MPI may give the number of a freed communicator to the next one, which then receives
         * the messages that are left: MPICH does. */
        if (!self->cancelled)
            MPI_Comm_free(&self->comm);
    }
    free(self->requests);
    free(self->slots);
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
                                 .cancel = wire_cancel,
                                 .reads_on = wire_reads_on};

/* Open MPI asks the receiver from 64 KiB on, including its own header. MPICH on UCX does at a
 * length determined at run time, 19 to 23 KB over Ethernet, unless told otherwise. */
static int part_wanted(void) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(version, &length);
    bool guesses = strstr(version, "MPICH") && !getenv("UCX_RNDV_THRESH");
    return guesses ? SHORT_PART : MOST_BYTES;
}

sct_status sct_mpi_wire_create(MPI_Comm comm, bool threaded, sct_wire **wire) {
    int part = 0, wanted = part_wanted();
    MPI_Request request;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    /* all ranks must split alike */
    int code = MPI_Iallreduce(&wanted, &part, 1, MPI_INT, MPI_MIN, comm, &request);
    sct_status status = sct_mpi_await(code, &request, "MPI_Iallreduce", NULL);
    mpi_wire *self = status == SCT_OK ? calloc(1, sizeof *self) : NULL;
    if (!self) {
        MPI_Comm_free(&comm);
        return status == SCT_OK ? sct_no_memory("a wire") : status;
    }
    *self = (mpi_wire){.base = {.ops = &ops, .most_bytes = MOST_BYTES, .threaded = threaded},
                       .comm = comm,
                       .free = NONE,
                       .part = (size_t)part};
    MPI_Comm_rank(comm, &self->base.rank);
    MPI_Comm_size(comm, &self->base.size);
    *wire = &self->base;
    return SCT_OK;
}

/* ---- The choice of a wire ---- */

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

static void drop_wire(sct_wire **wire) {
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
        drop_wire(wire);
        return status;
    }
    status = sct_process_least(self, exchange(self, *wire, memory) == SCT_OK, &all);
    bool works = status == SCT_OK && all;
    if (!works)
        (*wire)->ops->cancel(*wire);
    if (works || !sct_wire_reads_on(*wire))
        free(memory);
    if (!works)
        drop_wire(wire);
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
