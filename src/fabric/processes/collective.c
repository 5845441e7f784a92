/* collective.c - barrier, exchange and reduction, by a table in shared memory with a barrier and
 * two places per rank for its payload; or by messages that say which call a rank makes. */
#include "fabric/processes/collective.h"

#include "base/clock.h"
#include "fabric/machine.h"

#include <stdlib.h>
#include <string.h>

/* SHOWN: bytes of a payload in a place. */
enum { CACHE_LINE = 64, SHOWN = 1024 - 2 * sizeof(uint64_t) };
enum { NOTHING = -1 };                /* no cause */
enum { TO_LEAVE = SCT_TO_CLOSE + 1 }; /* the call of a rank that leaves */

/* The part of a rank's payload that fits a place. The first place of a rank has its sign. */
typedef struct place {
    sct_sign sign;
    uint64_t payload; /* see fabric.h */
    union {
        char shown[SHOWN];
        uint64_t words[SHOWN / sizeof(uint64_t)];
    };
} place;

/* The words by which ranks see, in a reduction, that all make the same call: the least and the
 * greatest call, the same of what is passed, and the lowest rank that leaves. The words of a small
 * reduction go with them. */
enum { CALL, CALL_MOST, PAYLOAD, PAYLOAD_MOST, LEAVER, NOTICE, CARRIED = 15 };

struct sct_process_collective {
    sct_shared table;
    sct_barrier *barrier; /* NULL: use messages */
    place *places;        /* two places per rank */
    int turn;             /* which of the two to use next */
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
    if (!made)
        return sct_fail(SCT_NO_MEMORY, "no memory for %d ranks to meet", ranks);
    *made = (sct_process_collective){.table = *table, .cause = NOTHING};
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
    free(collective);
}

/* ---- Ranks that are gone ---- */

sct_sign *sct_process_sign(sct_process *self) {
    sct_process_collective *collective = self->collective;
    return collective->barrier ? &collective->places[self->base.rank].sign : &self->sign;
}

/* Breaks the barrier if a process of the node has ended without leaving, or does not respond; NULL:
 * the rank does not wait. A look is cheap, but not free: a file of the system for each rank. */
static void look_at_others(sct_process *self, sct_suspect *suspect) {
    sct_barrier *barrier = self->collective->barrier;
    int seconds = self->base.rules.seconds;
    for (int i = 0; i < self->known_count; i++) {
        int r = self->known[i].rank;
        if (r == self->base.rank)
            continue;
        sct_run_state state = sct_run_state_of(self->known[i].pid, self->known[i].since);
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

/* Shows a part of a payload that fits; the others have then shown theirs in their places. The two
 * places of a rank alternate: before it reuses one, all have passed the call in between and have
 * read it. */
static sct_status show(sct_process *self, uint64_t payload, const void *part, size_t bytes,
                       const place **shown) {
    sct_process_collective *collective = self->collective;
    place *places = collective->places + collective->turn * self->base.size;
    *shown = places;
    /* after a break, a rank may still be reading its place */
    if (sct_barrier_broken(collective->barrier))
        return sct_barrier_failure(collective->barrier);
    collective->turn = !collective->turn;
    places[self->base.rank].payload = payload;
    memcpy(places[self->base.rank].shown, part, bytes);
    sct_status status = wait_for_all(self, SCT_TO_EXCHANGE);
    for (int r = 0; r < self->base.size && status == SCT_OK; r++) {
        if (places[r].payload == payload)
            continue;
        sct_barrier_disagree(collective->barrier);
        status = sct_barrier_failure(collective->barrier);
    }
    return status;
}

/* The first part also makes the ranks wait for each other, so there is one for 0 bytes as well. */
static sct_status exchange_in_table(sct_process *self, const char *mine, size_t bytes, char *all) {
    size_t from = 0;
    do {
        const place *places;
        size_t part = bytes - from < SHOWN ? bytes - from : SHOWN;
        sct_status status = show(self, sct_exchanged_payload(bytes), mine + from, part, &places);
        if (status)
            return status;
        for (int r = 0; r < self->base.size; r++)
            memcpy(all + (size_t)r * bytes + from, places[r].shown, part);
        from += part;
    } while (from < bytes);
    return SCT_OK;
}

static sct_status reduce_in_table(sct_process *self, sct_reduction how, uint64_t *words,
                                  size_t count) {
    enum { MOST = SHOWN / sizeof(uint64_t) };
    sct_status status = SCT_OK;
    for (size_t from = 0; from < count && !status; from += MOST) {
        const place *places;
        size_t part = count - from < MOST ? count - from : MOST;
        status = show(self, sct_reduced_payload(how, count), words + from, part * sizeof *words,
                      &places);
        for (int r = 0; r < self->base.size && !status; r++)
            sct_reduce_words(how, words + from, places[r].words, part);
    }
    return status;
}

/* ---- By messages ---- */

/* Why the ranks do not meet: the lowest rank that leaves while others do not, or different calls.
 * All ranks find the same. */
static int find_cause(const uint64_t notice[NOTICE]) {
    bool same_call = notice[CALL] == ~notice[CALL_MOST];
    if (notice[LEAVER] != UINT64_MAX && !same_call)
        return (int)notice[LEAVER];
    return same_call && notice[PAYLOAD] == ~notice[PAYLOAD_MOST] ? NOTHING : SCT_DIFFERENT_CALLS;
}

/* By messages: compares which call each rank makes, and in the same reduction replaces up to
 * CARRIED words by their least over all ranks. */
static sct_status synchronise_by_messages(sct_process *self, int call, uint64_t payload,
                                          uint64_t *words, size_t count) {
    sct_process_collective *collective = self->collective;
    uint64_t notice[NOTICE + CARRIED] = {[CALL] = (uint64_t)call,
                                         [CALL_MOST] = ~(uint64_t)call,
                                         [PAYLOAD] = payload,
                                         [PAYLOAD_MOST] = ~payload,
                                         [LEAVER] = UINT64_MAX};
    if (collective->cause != NOTHING)
        return sct_rendezvous_failure(collective->cause, SCT_HAS_LEFT);
    if (call == TO_LEAVE)
        notice[LEAVER] = (uint64_t)self->base.rank;
    if (count > 0)
        memcpy(notice + NOTICE, words, count * sizeof *words);
    sct_status status = self->ops->reduce(self, SCT_LEAST, notice, NOTICE + CARRIED);
    if (status != SCT_OK)
        return status;
    if (count > 0)
        memcpy(words, notice + NOTICE, count * sizeof *words);
    collective->cause = find_cause(notice);
    return collective->cause == NOTHING ? SCT_OK
                                        : sct_rendezvous_failure(collective->cause, SCT_HAS_LEFT);
}

static sct_status exchange_by_messages(sct_process *self, const void *mine, size_t bytes,
                                       void *all) {
    sct_status status =
        synchronise_by_messages(self, SCT_TO_EXCHANGE, sct_exchanged_payload(bytes), NULL, 0);
    return status ? status : self->ops->gather(self, mine, bytes, all);
}

static sct_status reduce_by_messages(sct_process *self, sct_reduction how, uint64_t *words,
                                     size_t count) {
    bool carried = how == SCT_LEAST && count <= CARRIED;
    sct_status status = synchronise_by_messages(
        self, SCT_TO_EXCHANGE, sct_reduced_payload(how, count), words, carried ? count : 0);
    return status || carried ? status : self->ops->reduce(self, how, words, count);
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
    sct_status status = synchronise_by_messages(self, (int)call, 0, NULL, 0);
    sync_direct(self);
    return status;
}

sct_status sct_process_exchange(sct_fabric *fabric, const void *mine, size_t bytes, void *all) {
    sct_process *self = sct_process_of(fabric);
    if (self->collective->barrier)
        return exchange_in_table(self, mine, bytes, all);
    sync_direct(self);
    sct_status status = exchange_by_messages(self, mine, bytes, all);
    sync_direct(self);
    return status;
}

sct_status sct_process_reduce(sct_fabric *fabric, sct_reduction how, uint64_t *words,
                              size_t count) {
    sct_process *self = sct_process_of(fabric);
    if (self->collective->barrier)
        return reduce_in_table(self, how, words, count);
    sync_direct(self);
    sct_status status = reduce_by_messages(self, how, words, count);
    sync_direct(self);
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
        synchronise_by_messages(self, TO_LEAVE, 0, NULL, 0);
}
