/* late_ranks_and_leaks.c - a rank that is always late; two worlds at once; and ten thousand calls
 * that must leave no memory, threads or descriptors behind. */
#include "support/check.h"
#include "support/usage.h"
#include "whole/support/elements.h"
#include "whole/support/trial.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* SLACK: bytes that an allocator may keep for a thread. */
enum { RANKS = 3, SIZE = 24, LIMIT = 100, SLACK = 20000 };

static const double one = 1, zero = 0;

/* ---- A late rank ---- */

typedef struct late {
    emulated_options emulated;
    int rank, ms; /* which rank sleeps before each call, and how long */
} late;

static void come_late(const sct_world *world, const late *l) {
    struct timespec time = {.tv_nsec = l->ms * 1000000L};
    if (sct_world_rank(world) == l->rank)
        nanosleep(&time, NULL);
}

/* Multiplies A by the identity and copies the result, which must be A again. */
static int be_late(sct_world *world, void *arg) {
    static const char *const texts[] = {"cyclic:5x3", "row", "col", "2d"};
    const late *l = arg;
    sct_matrix *matrix[4];
    source from = {.seed = 3, .most = 50};
    for (int i = 0; i < 4; i++) {
        come_late(world, l);
        matrix[i] = matrix_new(world, SCT_F64, texts[i], SIZE, SIZE);
        matrix_set(world, matrix[i], (element){0, 0});
    }
    matrix_fill(world, matrix[0], from);
    for (int64_t i = 0; i < SIZE; i++) {
        sct_block block;
        if (i * RANKS / SIZE == sct_world_rank(world)) {
            CHECK(sct_matrix_tile(matrix[1], (sct_tile){i * RANKS / SIZE, 0}, 0, &block) == SCT_OK);
            ((double *)block.data)[(i % (SIZE / RANKS)) * block.ld + i] = 1;
        }
    }
    come_late(world, l);
    CHECK(sct_multiply(SCT_N, SCT_N, &one, sct_whole(matrix[0]), sct_whole(matrix[1]), &zero,
                       sct_whole(matrix[2]), NULL) == SCT_OK);
    come_late(world, l);
    CHECK(sct_copy(SCT_N, sct_whole(matrix[2]), sct_whole(matrix[3]), NULL) == SCT_OK);
    CHECK(matrix_count_wrong(world, matrix[3], from) == 0);
    for (int i = 0; i < 4; i++) {
        come_late(world, l);
        sct_matrix_destroy(matrix[i]);
    }
    come_late(world, l);
    return 0;
}

static void *run_late(void *arg) {
    late *l = arg;
    l->emulated.host = 1;
    const sct_world_options options = emulated_world(&l->emulated);
    CHECK(sct_run(RANKS, &options, be_late, l) == SCT_OK);
    return NULL;
}

/* Worlds in which each rank in turn is late, all at once. */
static void try_late(void) {
    late worlds[2 * RANKS];
    pthread_t threads[2 * RANKS];
    for (int i = 0; i < 2 * RANKS; i++) {
        worlds[i] = (late){.emulated = {.ranks_per_node = i / RANKS, .deferred = i / RANKS},
                           .rank = i % RANKS,
                           .ms = 300};
        CHECK(pthread_create(&threads[i], NULL, run_late, &worlds[i]) == 0);
    }
    for (int i = 0; i < 2 * RANKS; i++)
        pthread_join(threads[i], NULL);
}

/* ---- Two worlds ---- */

static void *run_trials(void *arg) {
    uint64_t seed = *(const uint64_t *)arg;
    for (int i = 0; i < 20; i++) {
        trial t = {.ranks = RANKS,
                   .m = 30,
                   .n = 20,
                   .k = 40,
                   .type = SCT_F64,
                   .layout = {"col", "cyclic:3x4", "row"},
                   .alpha = {1, 0},
                   .beta = {2, 0},
                   .options = {.size = sizeof(sct_options), .stay = (sct_stay)(i % 4)},
                   .emulated = {.ranks_per_node = i / 2 % 2, .seed = seed, .deferred = i / 4 % 2},
                   .seed = seed + (uint64_t)i};
        trial_run(&t);
    }
    return NULL;
}

static void try_two_worlds(uint64_t seed) {
    pthread_t threads[2];
    uint64_t seeds[2] = {seed, seed + 100};
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, run_trials, &seeds[i]) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

/* ---- Ten thousand calls ---- */

/* The usage, measured on rank 0 while the other ranks wait; without a world, at once. */
static usage measure(sct_world *world) {
    usage is = {0};
    CHECK(!world || sct_world_barrier(world) == SCT_OK);
    if (!world || sct_world_rank(world) == 0)
        is = usage_now();
    CHECK(!world || sct_world_barrier(world) == SCT_OK);
    return is;
}

typedef struct many {
    int calls;
} many;

static void multiply_often(sct_world *world, int calls, sct_matrix *const matrix[3]) {
    int failed = 0;
    for (int i = 0; i < calls; i++)
        failed += sct_multiply(SCT_N, SCT_N, &one, sct_whole(matrix[0]), sct_whole(matrix[1]),
                               &zero, sct_whole(matrix[2]), NULL) != SCT_OK;
    CHECK(failed == 0 && sct_world_barrier(world) == SCT_OK);
}

static int call_often(sct_world *world, void *arg) {
    enum { FIRST = 50 };
    static const char *const texts[] = {"row", "col", "2d"};
    const many *m = arg;
    sct_matrix *matrix[3];
    for (int i = 0; i < 3; i++) {
        matrix[i] = matrix_new(world, SCT_F64, texts[i], 4, 4);
        matrix_set(world, matrix[i], (element){1, 0});
    }
    multiply_often(world, FIRST, matrix);
    usage before = measure(world);
    multiply_often(world, m->calls, matrix);
    usage after = measure(world);
    CHECK_CASE(after.bytes - before.bytes < SLACK, "%ld bytes more after %d calls",
               after.bytes - before.bytes, m->calls);
    CHECK_CASE(after.threads == before.threads && after.descriptors == before.descriptors,
               "%d threads and %d descriptors; before, %d and %d", after.threads, after.descriptors,
               before.threads, before.descriptors);
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(matrix[i]);
    return 0;
}

static void try_many(int ranks, emulated_options emulated, int calls) {
    const sct_world_options options = emulated_world(&emulated);
    many m = {.calls = calls};
    CHECK(sct_run(ranks, &options, call_often, &m) == SCT_OK);
}

/* Worlds that are created and destroyed leave nothing behind either. */
static void try_many_worlds(void) {
    enum { WORLDS = 100, FIRST = 20 };
    usage before = {0};
    for (int i = 0; i < WORLDS; i++) {
        late never = {.emulated = {.ranks_per_node = i % 2, .deferred = i / 2 % 2}, .rank = -1};
        run_late(&never);
        if (i == FIRST)
            before = measure(NULL);
    }
    usage after = measure(NULL);
    CHECK_CASE(after.bytes - before.bytes < SLACK, "%ld bytes more", after.bytes - before.bytes);
    CHECK(after.threads == before.threads && after.descriptors == before.descriptors);
}

int main(void) {
    uint64_t seed = check_seed(1);
    alarm(LIMIT);
    try_late();
    try_two_worlds(seed);
    try_many(2, (emulated_options){.host = 1}, 10000);
    try_many(2, (emulated_options){.host = 1, .ranks_per_node = 1}, 500);
    try_many(2, (emulated_options){.host = 1, .deferred = 1}, 500);
    try_many_worlds();
    return check_report("late_ranks_and_leaks");
}
