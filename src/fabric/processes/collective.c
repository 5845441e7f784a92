/* collective.c - barrier and exchange, by a table in shared memory with a barrier and two places
 * per rank for its payload; or by messages that say which call a rank makes. */
#include "fabric/processes/collective.h"

#include "base/clock.h"
#include "fabric/running.h"

#include <stdlib.h>
#include <string.h>

/* SHOWN: bytes of a payload in a place. */
enum { CACHE_LINE = 64, SHOWN = 1024 - 2 * sizeof(uint64_t) };
enum { NOTHING = -1 };                /* no cause */
enum { TO_LEAVE = SCT_TO_CLOSE + 1 }; /* the call of a rank that leaves */

/* The part of a rank's payload that fits a place. The first place of a rank has its sign. */
typedef struct place {
    sct_sign sign;
    uint64_t bytes;
    char shown[SHOWN];
} place;

/* What a rank tells the others by message: its call, and the whole of a small payload. */
typedef struct call_notice {
    int64_t call;
    uint64_t bytes;
    char carried[SCT_CARRIED];
} call_notice;

struct sct_process_collective {
    sct_shared table;
    sct_barrier *barrier; /* NULL: use messages */
    place *places;        /* two places per rank */
    int turn;             /* which of the two to use next */
    call_notice *calls;   /* by rank */
    int cause;            /* why ranks no longer meet by messages, as in barrier.h */
};

/* ---- Creation ---- */

/* The barrier follows the first cache line of the table. */
static size_t places_offset(void) {
    return CACHE_LINE + (sct_barrier_bytes() + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

size_t sct_process_table_bytes(int ranks) {
    return places_offset() + 2 * (size_t)ranks * sizeof(place);
}

void sct_process_table_prepare(void *memory, int ranks) {
    sct_barrier_place((char *)memory + CACHE_LINE, ranks, ranks);
}

sct_status sct_process_collective_create(int ranks, sct_shared *table,
                                         sct_process_collective **collective) {
    sct_process_collective *made = calloc(1, sizeof *made);
    call_notice *calls = calloc((size_t)ranks, sizeof *calls);
    if (!made || !calls) {
        free(made);
        free(calls);
        return sct_fail(SCT_NO_MEMORY, "no memory for %d ranks to meet", ranks);
    }
    *made = (sct_process_collective){.table = *table, .calls = calls, .cause = NOTHING};
    if (table->memory) {
        made->barrier = (sct_barrier *)(table->memory + CACHE_LINE);
        made->places = (place *)(table->memory + places_offset());
    }
    *table = (sct_shared){.file = -1};
    *collective = made;
    return SCT_OK;
}

void sct_process_collective_free(sct_process_collective *collective) {
    if (!collective)
        return;
    sct_shared_close(&collective->table);
    free(collective->calls);
    free(collective);
}

/* ---- Ranks that are gone ---- */

sct_sign *sct_process_sign(sct_process *self) {
    sct_process_collective *collective = self->collective;
    return collective->barrier ? &collective->places[self->base.rank].sign : &self->sign;
}

/* Breaks the barrier if a process of the node has ended without leaving, or is not heard; NULL:
 * the rank does not wait. A look is cheap, but not free: a file of the system for each rank. */
static void look_at_others(sct_process *self, sct_suspect *suspect) {
    sct_barrier *barrier = self->collective->barrier;
    int seconds = self->base.rules.seconds;
    for (int r = 0; r < self->base.size; r++) {
        if (r == self->base.rank)
            continue;
        sct_run_state state = sct_run_state_of(self->pid[r], self->since[r]);
        unsigned sign = atomic_load(&self->collective->places[r].sign);
        bool suspicious = state == SCT_IS_STOPPED || !sct_sign_is_inside(sign);
        if (state == SCT_HAS_ENDED)
            sct_barrier_break(barrier, r, SCT_HAS_LEFT);
        else if (suspect && seconds > 0 && sct_suspect_note(suspect, r, suspicious, sign, seconds))
            sct_barrier_break(barrier, r, seconds);
    }
}

void sct_process_watch(void *context) {
    sct_process_waiting *waiting = context;
    sct_process *self = waiting->self;
    if (!self->collective || !self->collective->barrier)
        return;
    if (sct_wait_is_interrupted(&self->base.rules))
        sct_barrier_break(self->collective->barrier, self->base.rank, SCT_INTERRUPTED);
    look_at_others(self, &waiting->lookout.suspect);
}

bool sct_process_is_time_to_watch(sct_process *self) {
    const int64_t second = 1000000000;
    int64_t now = sct_now_coarse_ns();
    if (now - self->watched_ns < second)
        return false;
    self->watched_ns = now;
    return true;
}

/* ---- Through shared memory ---- */

static sct_status wait_for_all(sct_process *self, sct_barrier_call call) {
    sct_barrier *barrier = self->collective->barrier;
    sct_process_waiting waiting = sct_process_begin_waiting(self);
    sct_wait_hook hook = {sct_process_must_serve(self) ? sct_process_idle : NULL, &waiting,
                          sct_process_watch};
    bool met = sct_barrier_wait(barrier, call, &hook);
    return met ? SCT_OK : sct_barrier_failure(barrier);
}

/* Shows the part of the payload that fits. The two places alternate: before a rank reuses one, all
 * have passed the call in between and have read it. */
static sct_status show(sct_process *self, const char *mine, size_t from, size_t bytes, char *all) {
    sct_process_collective *collective = self->collective;
    place *places = collective->places + collective->turn * self->base.size;
    /* after a break, a rank may still be reading its place */
    if (sct_barrier_broken(collective->barrier))
        return sct_barrier_failure(collective->barrier);
    size_t part = bytes - from < SHOWN ? bytes - from : SHOWN;
    collective->turn = !collective->turn;
    places[self->base.rank].bytes = bytes;
    memcpy(places[self->base.rank].shown, mine + from, part);
    sct_status status = wait_for_all(self, SCT_TO_EXCHANGE);
    for (int r = 0; r < self->base.size && status == SCT_OK; r++) {
        if (places[r].bytes != bytes) {
            sct_barrier_disagree(collective->barrier);
            status = sct_barrier_failure(collective->barrier);
        } else
            memcpy(all + (size_t)r * bytes + from, places[r].shown, part);
    }
    return status;
}

/* ---- By messages ---- */

/* Why the ranks do not meet: the lowest rank that leaves alone, or different calls. All ranks find
 * the same. */
static int find_cause(const call_notice *calls, int ranks) {
    int leavers = 0, cause = NOTHING;
    for (int r = ranks - 1; r >= 0; r--) {
        if (calls[r].call != calls[0].call || calls[r].bytes != calls[0].bytes)
            cause = SCT_DIFFERENT_CALLS;
        leavers += calls[r].call == TO_LEAVE;
    }
    for (int r = 0; r < ranks && leavers > 0 && leavers < ranks; r++)
        if (calls[r].call == TO_LEAVE)
            return r;
    return cause;
}

/* Exchanges the calls by messages. */
static sct_status synchronise_by_messages(sct_process *self, int call, const void *mine,
                                          size_t bytes) {
    sct_process_collective *collective = self->collective;
    if (collective->cause != NOTHING)
        return sct_rendezvous_failure(collective->cause, SCT_HAS_LEFT);
    call_notice own = {.call = call, .bytes = bytes};
    if (bytes > 0 && bytes <= SCT_CARRIED)
        memcpy(own.carried, mine, bytes);
    sct_status status = self->ops->gather(self, &own, sizeof own, collective->calls);
    if (status != SCT_OK)
        return status;
    collective->cause = find_cause(collective->calls, self->base.size);
    return collective->cause == NOTHING ? SCT_OK
                                        : sct_rendezvous_failure(collective->cause, SCT_HAS_LEFT);
}

static sct_status exchange_by_messages(sct_process *self, const void *mine, size_t bytes,
                                       char *all) {
    sct_status status = synchronise_by_messages(self, SCT_TO_EXCHANGE, mine, bytes);
    if (status != SCT_OK)
        return status;
    if (bytes > SCT_CARRIED)
        return self->ops->gather(self, mine, bytes, all);
    for (int r = 0; r < self->base.size; r++)
        memcpy(all + (size_t)r * bytes, self->collective->calls[r].carried, bytes);
    return SCT_OK;
}

/* ---- Interface ---- */

static void sync_direct(sct_process *self) {
    if (self->direct)
        self->direct->sync(self);
}

bool sct_process_synchronises_by_messages(const sct_process *self) {
    return !self->collective->barrier;
}

sct_status sct_process_barrier(sct_process *self, sct_barrier_call call) {
    if (self->collective->barrier)
        return wait_for_all(self, call);
    sync_direct(self);
    sct_status status = synchronise_by_messages(self, (int)call, NULL, 0);
    sync_direct(self);
    return status;
}

sct_status sct_process_exchange(sct_fabric *fabric, const void *mine, size_t bytes, void *all) {
    sct_process *self = sct_process_of(fabric);
    if (!self->collective->barrier) {
        sync_direct(self);
        sct_status status = exchange_by_messages(self, mine, bytes, all);
        sync_direct(self);
        return status;
    }
    /* The first call also makes the ranks wait for each other, so it is made for 0 bytes as well.
     */
    sct_status status = show(self, mine, 0, bytes, all);
    for (size_t from = SHOWN; from < bytes && status == SCT_OK; from += SHOWN)
        status = show(self, mine, from, bytes, all);
    return status;
}

sct_status sct_process_collective_status(sct_process *self) {
    sct_process_collective *collective = self->collective;
    bool looks = sct_process_is_time_to_watch(self);
    if (looks && collective->barrier)
        look_at_others(self, NULL);
    if (collective->barrier)
        return sct_barrier_broken(collective->barrier) ? sct_barrier_failure(collective->barrier)
                                                       : SCT_OK;
    if (looks && self->service && sct_service_status(self->service) != SCT_OK)
        return sct_service_status(self->service);
    return collective->cause == NOTHING ? SCT_OK
                                        : sct_rendezvous_failure(collective->cause, SCT_HAS_LEFT);
}

void sct_process_announce_leaving(sct_process *self) {
    if (self->collective->barrier)
        sct_barrier_break(self->collective->barrier, self->base.rank, SCT_HAS_LEFT);
    else
        synchronise_by_messages(self, TO_LEAVE, NULL, 0);
}
