/* wires.c - one list of messages, which receivers search when they poll. */
#include "support/wires.h"

#include "support/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct message {
    struct message *next; /* in the order of sending */
    int from, to, kind;
    const void *bytes; /* in the sender's memory, or `copy` */
    size_t count;
    uint64_t due;
    bool received;
    int users; /* references from the list and from the sender's request */
    char copy[];
} message;

typedef struct request {
    enum { FREE, SENDS, RECEIVES } what;
    message *sent;
    int rank, kind;
    void *to;
    size_t count;
} request;

typedef struct endpoint {
    sct_wire wire;
    struct wires *all;
    atomic_bool inside;
    bool bound;
    pthread_t user;
    request *requests;
    size_t requests_room;
    long fuse; /* calls until it breaks; 0: it does not */
    bool for_good, dead, open, cancelled;
} endpoint;

struct wires {
    pthread_mutex_t mutex;
    int ranks, delay;
    uint64_t random, now; /* polls so far */
    bool may_break;
    message *first;
    endpoint each[];
};

/* ---- Calls ---- */

/* Locks the mutex, which leave() unlocks. */
static endpoint *enter(sct_wire *wire) {
    endpoint *self = (endpoint *)wire;
    CHECK_CASE(!atomic_exchange(&self->inside, true), "calls of a wire overlap");
    if (!self->bound) {
        self->bound = true;
        self->user = pthread_self();
    }
    CHECK_CASE(wire->threaded || pthread_equal(self->user, pthread_self()),
               "a wire for one thread is called by two");
    pthread_mutex_lock(&self->all->mutex);
    return self;
}

static sct_status leave(endpoint *self, sct_status status) {
    if (self->fuse > 0 && --self->fuse == 0) {
        self->dead = self->for_good;
        status = sct_fail(SCT_FAILED, "the wire of rank %d broke", self->wire.rank);
    } else if (self->dead) {
        status = sct_fail(SCT_FAILED, "the wire of rank %d is broken", self->wire.rank);
    }
    pthread_mutex_unlock(&self->all->mutex);
    atomic_store(&self->inside, false);
    return status;
}

static sct_status check_peer(const endpoint *self, int rank) {
    if (self->all->each[rank].dead)
        return sct_fail(SCT_FAILED, "rank %d is gone", rank);
    return SCT_OK;
}

static void release(message *sent) {
    if (--sent->users == 0)
        free(sent);
}

static request *new_request(endpoint *self, sct_message *id) {
    size_t at = 0;
    while (at < self->requests_room && self->requests[at].what != FREE)
        at++;
    if (at == self->requests_room) {
        self->requests_room = 2 * at + 8;
        self->requests = realloc(self->requests, self->requests_room * sizeof *self->requests);
        for (size_t i = at; i < self->requests_room; i++)
            self->requests[i].what = FREE;
    }
    *id = at + 1;
    return &self->requests[at];
}

/* ---- Messages ---- */

static uint64_t draw(wires *all, uint64_t most) {
    return check_random(&all->random) % (most + 1);
}

static sct_status wire_send(sct_wire *wire, int rank, int kind, const void *from, size_t bytes,
                            sct_message *id) {
    endpoint *self = enter(wire);
    wires *all = self->all;
    CHECK(bytes <= wire->most_bytes && kind >= 0 && kind < 1000);
    bool copied = draw(all, 1) == 0;
    message *sent = malloc(sizeof *sent + bytes);
    *sent = (message){.from = wire->rank,
                      .to = rank,
                      .kind = kind,
                      .bytes = copied ? sent->copy : from,
                      .count = bytes,
                      .due = all->now + draw(all, (uint64_t)all->delay),
                      .users = 2};
    if (copied && bytes > 0)
        memcpy(sent->copy, from, bytes);
    message **end = &all->first;
    while (*end)
        end = &(*end)->next;
    *end = sent;
    *new_request(self, id) = (request){.what = SENDS, .sent = sent};
    return leave(self, check_peer(self, rank));
}

static sct_status wire_receive(sct_wire *wire, int rank, int kind, void *to, size_t bytes,
                               sct_message *id) {
    endpoint *self = enter(wire);
    *new_request(self, id) =
        (request){.what = RECEIVES, .rank = rank, .kind = kind, .to = to, .count = bytes};
    return leave(self, check_peer(self, rank));
}

/* The link to the first due message of that kind, from that rank or (-1) from any, starting at a
 * random rank. */
static message **find(endpoint *self, int rank, int kind) {
    wires *all = self->all;
    int first = rank >= 0 ? rank : (int)draw(all, (uint64_t)all->ranks - 1);
    for (int i = 0; i < (rank >= 0 ? 1 : all->ranks); i++) {
        int from = (first + i) % all->ranks;
        message **at = &all->first;
        while (*at && !((*at)->from == from && (*at)->to == self->wire.rank && (*at)->kind == kind))
            at = &(*at)->next;
        if (*at && (*at)->due <= all->now)
            return at;
    }
    return NULL;
}

static void deliver(message **at, void *to) {
    message *sent = *at;
    *at = sent->next;
    if (sent->count > 0)
        memcpy(to, sent->bytes, sent->count);
    sent->received = true;
    release(sent);
}

static sct_status wire_take(sct_wire *wire, int kind, void *to, size_t bytes, int *rank,
                            bool *taken) {
    endpoint *self = enter(wire);
    message **at = find(self, -1, kind);
    *taken = at != NULL;
    if (at) {
        CHECK((*at)->count <= bytes);
        *rank = (*at)->from;
        deliver(at, to);
    }
    return leave(self, SCT_OK);
}

static sct_status wire_progress(sct_wire *wire) {
    endpoint *self = enter(wire);
    self->all->now++;
    return leave(self, SCT_OK);
}

static sct_status wire_test(sct_wire *wire, sct_message id, bool *done) {
    endpoint *self = enter(wire);
    sct_status status = SCT_OK;
    request *tested = &self->requests[id - 1];
    CHECK_CASE(tested->what != FREE, "a request that is done is tested");
    if (tested->what == SENDS) {
        message *sent = tested->sent;
        *done = sent->received || sent->bytes == sent->copy;
        if (*done)
            release(sent);
    } else {
        message **at = find(self, tested->rank, tested->kind);
        *done = at != NULL;
        if (at) {
            CHECK((*at)->count == tested->count);
            deliver(at, tested->to);
        } else {
            status = check_peer(self, tested->rank);
        }
    }
    if (*done)
        tested->what = FREE;
    return leave(self, status);
}

/* ---- The end ---- */

/* Drops what this rank has sent but not copied, and all its requests: its buffers are not accessed
 * again. */
static void give_up(endpoint *self) {
    for (message **at = &self->all->first; *at;) {
        message *sent = *at;
        if (sent->from != self->wire.rank || sent->bytes == sent->copy) {
            at = &sent->next;
            continue;
        }
        *at = sent->next;
        release(sent);
    }
    for (size_t i = 0; i < self->requests_room; i++) {
        if (self->requests[i].what == SENDS)
            release(self->requests[i].sent);
        self->requests[i].what = FREE;
    }
}

static void wire_cancel(sct_wire *wire) {
    endpoint *self = enter(wire);
    self->cancelled = true;
    give_up(self);
    leave(self, SCT_OK);
}

static void wire_close(sct_wire *wire) {
    endpoint *self = enter(wire);
    CHECK(self->open);
    for (size_t i = 0; i < self->requests_room && !self->all->may_break && !self->cancelled; i++)
        CHECK_CASE(self->requests[i].what == FREE, "all requests are done in the end");
    self->open = false;
    give_up(self);
    free(self->requests);
    self->requests = NULL;
    self->requests_room = 0;
    leave(self, SCT_OK);
}

static const sct_wire_ops ops = {.close = wire_close,
                                 .send = wire_send,
                                 .receive = wire_receive,
                                 .take = wire_take,
                                 .progress = wire_progress,
                                 .test = wire_test,
                                 .cancel = wire_cancel};

wires *wires_new(int ranks, size_t most_bytes, bool threaded, int delay, uint64_t seed) {
    wires *all = calloc(1, sizeof *all + (size_t)ranks * sizeof *all->each);
    pthread_mutex_init(&all->mutex, NULL);
    all->ranks = ranks;
    all->delay = delay;
    all->random = seed;
    for (int r = 0; r < ranks; r++) {
        sct_wire wire = {&ops, r, ranks, most_bytes, threaded};
        all->each[r].wire = wire;
        all->each[r].all = all;
    }
    return all;
}

sct_wire *wires_open(wires *all, int rank) {
    all->each[rank].open = true;
    return &all->each[rank].wire;
}

void wires_break(wires *all, int rank, long calls, bool for_good) {
    pthread_mutex_lock(&all->mutex);
    all->may_break = true;
    all->each[rank].fuse = calls;
    all->each[rank].for_good = for_good;
    pthread_mutex_unlock(&all->mutex);
}

void wires_free(wires *all) {
    for (int r = 0; r < all->ranks; r++)
        CHECK_CASE(!all->each[r].open, "the wire of rank %d is closed", r);
    CHECK_CASE(all->may_break || !all->first, "all messages were received");
    while (all->first) {
        message *left = all->first;
        all->first = left->next;
        free(left);
    }
    pthread_mutex_destroy(&all->mutex);
    free(all);
}
