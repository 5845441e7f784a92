/* threads_rank_leaves.c - a rank of the threads fabric closes it while the others still use it, or
 * makes another collective call than they do. All of them fail, none waits forever, and no memory
 * is freed while it is accessed. */
#include "rules/threads_fabric.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_RANKS = 4, WORDS = 500, LIMIT = 100 };

static void nap(void) {
    struct timespec time = {.tv_nsec = 2000000};
    nanosleep(&time, NULL);
}

/* ---- The calls of the other ranks ---- */

typedef sct_status call(sct_fabric *fabric, sct_segment *segment);

static sct_status call_barrier(sct_fabric *fabric, sct_segment *segment) {
    (void)segment;
    return fabric->ops->barrier(fabric);
}

static sct_status call_exchange(sct_fabric *fabric, sct_segment *segment) {
    (void)segment;
    int64_t all[MOST_RANKS], mine = fabric->rank;
    return fabric->ops->exchange(fabric, &mine, sizeof mine, all);
}

static sct_status call_exchange_more(sct_fabric *fabric, sct_segment *segment) {
    (void)segment;
    int64_t all[MOST_RANKS][2], mine[2] = {fabric->rank, 0};
    return fabric->ops->exchange(fabric, mine, sizeof mine, all);
}

static sct_status call_agree(sct_fabric *fabric, sct_segment *segment) {
    (void)segment;
    return sct_fabric_agree(fabric, fabric->rank == 0 ? sct_fail(SCT_TOO_LARGE, "mine") : SCT_OK);
}

static sct_status call_open(sct_fabric *fabric, sct_segment *segment) {
    sct_memory block = {.lines = 1, .width = 8};
    return fabric->ops->segment_open(fabric, 1, &block, &segment);
}

static sct_status call_close(sct_fabric *fabric, sct_segment *segment) {
    fabric->ops->segment_close(segment);
    return fabric->ops->barrier(fabric);
}

static call *const calls[] = {call_barrier, call_exchange, call_agree, call_open, call_close};
enum { CALLS = 5 };

/* ---- A rank leaves ---- */

typedef struct scenario {
    call *others;
    int leaver;
    bool wraps, early, closes; /* wrapped memory; the others call later; they close the segment */
} scenario;

/* Reads the memory of the rank that leaves, which must exist as long as anybody has the segment
 * open. */
static void reach(sct_fabric *fabric, sct_segment *segment, int owner) {
    const sct_memory *near = fabric->ops->peer(segment, owner);
    for (int i = 0; near && i < WORDS; i++)
        CHECK(((const int64_t *)near[0].base)[i] == owner);
}

/* Gets fail, too, but one that began before the rank left is completed. */
static void stay(sct_fabric *fabric, const scenario *s, sct_segment *segment) {
    char reason[40];
    int64_t got[WORDS];
    sct_target from = {segment, s->leaver, 0, {0, 0, 1, sizeof got}};
    sct_event event = {.ops = NULL};
    snprintf(reason, sizeof reason, "rank %d has left", s->leaver);
    bool asked = sct_fabric_get(fabric, NULL, &from, got, sizeof got, &event) == SCT_OK;
    if (s->others == call_close) /* all gets must be complete before it */
        CHECK(sct_event_wait(event) == SCT_OK);
    if (s->early)
        nap();
    for (int turn = 0; turn < 2; turn++) {
        sct_fail(SCT_FAILED, "something else");
        sct_status status = turn == 0 ? s->others(fabric, segment) : fabric->ops->barrier(fabric);
        CHECK_CASE(status == SCT_FAILED && strcmp(sct_last_reason(), reason) == 0, "%s (%s)",
                   sct_status_name(status), sct_last_reason());
    }
    CHECK(sct_event_wait(event) == SCT_OK);
    for (int i = 0; asked && i < WORDS; i++)
        CHECK(got[i] == s->leaver);
    CHECK(sct_fabric_get(fabric, NULL, &from, got, sizeof got, &event) == SCT_FAILED);
    CHECK(sct_fabric_accumulate(fabric, NULL, SCT_F64, got, sizeof got, &from, &event) ==
          SCT_FAILED);
}

static void play(sct_fabric *fabric, void *context) {
    const scenario *s = context;
    int64_t *mine = malloc(WORDS * sizeof *mine);
    sct_memory block = {(char *)mine, WORDS * sizeof *mine, 1, WORDS * sizeof *mine};
    sct_segment *segment;
    sct_status status = s->wraps ? fabric->ops->segment_wrap(fabric, 1, &block, &segment)
                                 : fabric->ops->segment_open(fabric, 1, &block, &segment);
    CHECK(status == SCT_OK);
    for (int i = 0; i < WORDS; i++)
        ((int64_t *)block.base)[i] = fabric->rank;
    CHECK(fabric->ops->barrier(fabric) == SCT_OK);
    bool leaves = fabric->rank == s->leaver;
    if (!leaves) {
        stay(fabric, s, segment);
        /* The memory is safe for whoever still has the segment open. */
        if (s->others != call_close)
            reach(fabric, segment, s->leaver);
    } else if (!s->early)
        nap();
    if (!leaves && s->closes && s->others != call_close)
        fabric->ops->segment_close(segment);
    fabric->ops->close(fabric);
    free(mine);
}

static void try_leaving(int ranks, const emulated_options *options) {
    for (int i = 0; i < CALLS * 8; i++) {
        scenario s = {.others = calls[i / 8],
                      .leaver = i % ranks,
                      .wraps = i & 1,
                      .early = i & 2,
                      .closes = i & 4};
        threads_fabric_each(ranks, options, play, &s);
    }
}

/* ---- One rank makes another call than the others ---- */

typedef struct mismatch {
    call *others, *odd;
    int who;
} mismatch;

static void play_mismatch(sct_fabric *fabric, void *context) {
    const mismatch *m = context;
    int64_t *mine = calloc(WORDS, sizeof *mine);
    sct_memory block = {(char *)mine, WORDS * sizeof *mine, 1, WORDS * sizeof *mine};
    sct_segment *segment;
    CHECK(fabric->ops->segment_wrap(fabric, 1, &block, &segment) == SCT_OK);
    call *mine_to_make = fabric->rank == m->who ? m->odd : m->others;
    sct_status status = mine_to_make(fabric, segment);
    CHECK_CASE(status == SCT_DISAGREE && strstr(sct_last_reason(), "different collective calls"),
               "%s (%s)", sct_status_name(status), sct_last_reason());
    CHECK(fabric->ops->barrier(fabric) == SCT_DISAGREE);
    const sct_memory *near = fabric->ops->peer(segment, m->who);
    if (mine_to_make != call_close) {
        nap();
        for (int i = 0; near && i < WORDS; i++)
            CHECK(((const int64_t *)near[0].base)[i] == 0);
        fabric->ops->segment_close(segment);
    }
    free(mine); /* allowed as soon as the segment is closed */
    fabric->ops->close(fabric);
}

static void try_mismatches(int ranks, const emulated_options *options) {
    static const struct {
        call *others, *odd;
    } pairs[] = {{call_barrier, call_exchange},       {call_exchange, call_barrier},
                 {call_exchange, call_exchange_more}, {call_exchange_more, call_exchange},
                 {call_close, call_exchange},         {call_barrier, call_close},
                 {call_exchange, call_close}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int who = 0; who < ranks; who++) {
            mismatch m = {pairs[i].others, pairs[i].odd, who};
            threads_fabric_each(ranks, options, play_mismatch, &m);
        }
}

/* ---- The allgather fails ---- */

/* One of the bootstrap's three allgathers fails on all ranks, or the last on one rank, which then
 * counts as one that has left. */
static void try_refusing(int ranks, const emulated_options *options) {
    sct_status status[MOST_RANKS];
    for (int failing = 1; failing <= 3; failing++)
        for (int who = -1; who < (failing == 3 ? ranks : 0); who++) {
            threads_fabric_fail_gather(ranks, options, failing, who, status);
            for (int r = 0; r < ranks; r++)
                CHECK_CASE(status[r] == SCT_FAILED, "gather %d fails on %d: %s on %d", failing, who,
                           sct_status_name(status[r]), r);
        }
}

int main(void) {
    check_seed(1);
    alarm(LIMIT);
    for (int ranks = 2; ranks <= MOST_RANKS; ranks++)
        for (int far = 0; far < 2; far++) {
            emulated_options options = {
                .host = 1, .ranks_per_node = far, .seed = 1, .delay_us = 500};
            try_leaving(ranks, &options);
            try_mismatches(ranks, &options);
            try_refusing(ranks, &options);
        }
    return check_report("threads_rank_leaves");
}
