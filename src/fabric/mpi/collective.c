/* collective.c - two ways to meet: a table in shared memory, with a barrier and two places for each
 * rank to show something in; or messages that say what a rank has come for. */
#include "fabric/mpi/collective.h"

#include "fabric/mpi/call.h"
#include "fabric/mpi/rma.h"

#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64, SHOWN = 1024 - sizeof(uint64_t), CARRIED = 56 };
enum { NOTHING = -1 };                /* as cause */
enum { TO_LEAVE = SCT_TO_CLOSE + 1 }; /* as errand */

/* What a rank shows of a payload of `bytes` bytes. */
typedef struct place {
    uint64_t bytes;
    char shown[SHOWN];
} place;

/* What a rank has come for; with all of a small payload. */
typedef struct card {
    int64_t errand;
    uint64_t bytes;
    char carried[CARRIED];
} card;

struct sct_mpi_meeting {
    sct_shared table;
    sct_barrier *barrier; /* NULL: by messages */
    place *places;        /* of all ranks, twice */
    int turn;             /* of the two, the one to use next */
    card *cards;          /* of all ranks */
    int cause;            /* why messages have ended, see barrier.h */
};

/* ---- Making ---- */

/* The barrier follows the first line of the table. */
static size_t places_offset(void) {
    return CACHE_LINE + (sct_barrier_bytes() + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

size_t sct_mpi_table_bytes(int ranks) {
    return places_offset() + 2 * (size_t)ranks * sizeof(place);
}

void sct_mpi_table_prepare(void *memory, int ranks) {
    sct_barrier_place((char *)memory + CACHE_LINE, ranks, ranks);
}

sct_status sct_mpi_meeting_create(int ranks, sct_shared *table, sct_mpi_meeting **meeting) {
    sct_mpi_meeting *made = calloc(1, sizeof *made);
    card *cards = calloc((size_t)ranks, sizeof *cards);
    if (!made || !cards) {
        free(made);
        free(cards);
        return sct_fail(SCT_NO_MEMORY, "no memory for %d ranks to meet", ranks);
    }
    *made = (sct_mpi_meeting){.table = *table, .cards = cards, .cause = NOTHING};
    if (table->memory) {
        made->barrier = (sct_barrier *)(table->memory + CACHE_LINE);
        made->places = (place *)(table->memory + places_offset());
    }
    *table = (sct_shared){.file = -1};
    *meeting = made;
    return SCT_OK;
}

void sct_mpi_meeting_free(sct_mpi_meeting *meeting) {
    if (!meeting)
        return;
    sct_shared_close(&meeting->table);
    free(meeting->cards);
    free(meeting);
}

/* ---- Through shared memory ---- */

static sct_status wait_for_all(sct_mpi *self, sct_errand errand) {
    sct_barrier *barrier = self->meeting->barrier;
    sct_mpi_waiting waiting = sct_mpi_begin_waiting(self);
    sct_idler idler = {sct_mpi_idle, &waiting};
    bool met = sct_barrier_wait(barrier, errand, sct_mpi_must_answer(self) ? &idler : NULL);
    return met ? SCT_OK : sct_barrier_failure(barrier);
}

/* Shows what of the payload fits. Two places take turns: who comes to use one again knows that all
 * have been at the meeting in between, and so have read it. */
static sct_status show(sct_mpi *self, const char *mine, size_t from, size_t bytes, char *all) {
    sct_mpi_meeting *meeting = self->meeting;
    place *places = meeting->places + meeting->turn * self->base.size;
    /* Then nobody can know who still reads. */
    if (sct_barrier_broken(meeting->barrier))
        return sct_barrier_failure(meeting->barrier);
    size_t part = bytes - from < SHOWN ? bytes - from : SHOWN;
    meeting->turn = !meeting->turn;
    places[self->base.rank].bytes = bytes;
    memcpy(places[self->base.rank].shown, mine + from, part);
    sct_status status = wait_for_all(self, SCT_TO_EXCHANGE);
    for (int r = 0; r < self->base.size && status == SCT_OK; r++) {
        if (places[r].bytes != bytes) {
            sct_barrier_disagree(meeting->barrier);
            status = sct_barrier_failure(meeting->barrier);
        } else
            memcpy(all + (size_t)r * bytes + from, places[r].shown, part);
    }
    return status;
}

/* ---- By messages ---- */

/* What is wrong with the cards; all ranks come to the same answer. */
static int judge(const card *cards, int ranks) {
    int leaving = 0, cause = NOTHING;
    for (int r = ranks - 1; r >= 0; r--) {
        if (cards[r].errand != cards[0].errand || cards[r].bytes != cards[0].bytes)
            cause = SCT_DIFFERENT_ERRANDS;
        leaving += cards[r].errand == TO_LEAVE;
    }
    for (int r = 0; r < ranks && leaving > 0 && leaving < ranks; r++)
        if (cards[r].errand == TO_LEAVE)
            return r;
    return cause;
}

/* All show their cards. */
static sct_status meet_by_messages(sct_mpi *self, int errand, const void *mine, size_t bytes) {
    sct_mpi_meeting *meeting = self->meeting;
    if (meeting->cause != NOTHING)
        return sct_meeting_failure(meeting->cause);
    card own = {.errand = errand, .bytes = bytes};
    if (bytes > 0 && bytes <= CARRIED)
        memcpy(own.carried, mine, bytes);
    sct_status status = sct_mpi_gather(self, &own, sizeof own, meeting->cards);
    if (status != SCT_OK)
        return status;
    meeting->cause = judge(meeting->cards, self->base.size);
    return meeting->cause == NOTHING ? SCT_OK : sct_meeting_failure(meeting->cause);
}

static sct_status exchange_by_messages(sct_mpi *self, const void *mine, size_t bytes, char *all) {
    sct_status status = meet_by_messages(self, SCT_TO_EXCHANGE, mine, bytes);
    if (status != SCT_OK)
        return status;
    if (bytes > CARRIED)
        return sct_mpi_gather(self, mine, bytes, all);
    for (int r = 0; r < self->base.size; r++)
        memcpy(all + (size_t)r * bytes, self->meeting->cards[r].carried, bytes);
    return SCT_OK;
}

/* ---- Either way ---- */

bool sct_mpi_meets_by_messages(const sct_mpi *self) {
    return !self->meeting->barrier;
}

sct_status sct_mpi_meet(sct_mpi *self, sct_errand errand) {
    if (self->meeting->barrier)
        return wait_for_all(self, errand);
    sct_rma_sync(self->segments);
    sct_status status = meet_by_messages(self, (int)errand, NULL, 0);
    sct_rma_sync(self->segments);
    return status;
}

sct_status sct_mpi_exchange(sct_mpi *self, const void *mine, size_t bytes, void *all) {
    sct_status status = SCT_OK;
    if (!self->meeting->barrier) {
        sct_rma_sync(self->segments);
        status = exchange_by_messages(self, mine, bytes, all);
        sct_rma_sync(self->segments);
        return status;
    }
    for (size_t from = 0; from < bytes && status == SCT_OK; from += SHOWN)
        status = show(self, mine, from, bytes, all);
    return status;
}

sct_status sct_mpi_meeting_status(sct_mpi *self) {
    sct_mpi_meeting *meeting = self->meeting;
    if (meeting->barrier)
        return sct_barrier_broken(meeting->barrier) ? sct_barrier_failure(meeting->barrier)
                                                    : SCT_OK;
    return meeting->cause == NOTHING ? SCT_OK : sct_meeting_failure(meeting->cause);
}

void sct_mpi_leave(sct_mpi *self) {
    if (self->meeting->barrier)
        sct_barrier_break(self->meeting->barrier, self->base.rank);
    else
        meet_by_messages(self, TO_LEAVE, NULL, 0);
}
