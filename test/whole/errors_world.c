/* errors_world.c - worlds that cannot be, ranks that fail, and worlds that threads of the test's
 * own join. */
#include "support/check.h"
#include "whole/support/elements.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { RANKS = 4, REASON = 256 };

static void check_status(sct_status status, sct_status want, const char *word) {
    CHECK_CASE(status == want && (!status || strstr(sct_last_reason(), word)), "%s: %s (%s)", word,
               sct_status_name(status), sct_last_reason());
}

/* ---- Ranks that the library starts ---- */

static atomic_int started;

static int count(sct_world *world, void *arg) {
    (void)world;
    (void)arg;
    atomic_fetch_add(&started, 1);
    return 0;
}

static int fail_from(sct_world *world, void *arg) {
    int rank = sct_world_rank(world);
    return rank >= *(int *)arg ? 40 + rank : 0;
}

static void refuse_runs(void) {
    static const struct {
        sct_world_options options;
        sct_status status;
        const char *word;
    } rows[] = {
        {{.engine = "mpi"}, SCT_NO_ENGINE, "\"mpi\""},
        {{.engine = ""}, SCT_NO_ENGINE, "\"\""},
        {{.ranks_per_node = -1}, SCT_BAD_ARGUMENT, "-1 ranks per node"},
        {{.delay_us = -5}, SCT_BAD_ARGUMENT, "-5"},
    };
    sct_world_options future = {.size = sizeof future + 8};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sct_world_options options = rows[i].options;
        options.size = sizeof options;
        check_status(sct_run(RANKS, &options, count, NULL), rows[i].status, rows[i].word);
    }
    check_status(sct_run(RANKS, &future, count, NULL), SCT_BAD_ARGUMENT, "size");
    check_status(sct_run(0, NULL, count, NULL), SCT_BAD_ARGUMENT, "0 ranks");
    check_status(sct_run(-3, NULL, count, NULL), SCT_BAD_ARGUMENT, "-3 ranks");
    CHECK(atomic_load(&started) == 0);
    sct_world_options threads = {.size = sizeof threads, .engine = "threads"};
    check_status(sct_run(RANKS, &threads, count, NULL), SCT_OK, "");
    CHECK(atomic_load(&started) == RANKS);
}

static void name_statuses(void) {
    CHECK(strcmp(sct_status_name(SCT_OK), "done") == 0);
    CHECK(strcmp(sct_status_name((sct_status)99), "unknown status") == 0);
}

/* The lowest rank that failed is named. */
static void report_failures(void) {
    for (int first = 0; first < RANKS; first++) {
        char word[40];
        snprintf(word, sizeof word, "rank %d returned %d", first, 40 + first);
        check_status(sct_run(RANKS, NULL, fail_from, &first), SCT_FAILED, word);
    }
    int none = RANKS;
    check_status(sct_run(RANKS, NULL, fail_from, &none), SCT_OK, "");
}

/* ---- Threads of one's own ---- */

/* Where they meet. */
typedef struct place {
    pthread_barrier_t barrier;
    const void *mine[RANKS];
    int refuses; /* how many gathers succeed before all fail; negative: all do */
} place;

typedef struct member {
    place *place;
    int rank, gathers;
    sct_world_options options;
    bool placeless; /* the world is to be put nowhere */
    sct_status status;
    char reason[REASON];
} member;

static int gather(void *context, const void *mine, size_t bytes, void *all) {
    member *self = context;
    place *collective = self->place;
    if (collective->refuses >= 0 && self->gathers >= collective->refuses)
        return 1;
    self->gathers++;
    collective->mine[self->rank] = mine;
    pthread_barrier_wait(&collective->barrier);
    for (int r = 0; r < RANKS; r++)
        memcpy((char *)all + (size_t)r * bytes, collective->mine[r], bytes);
    pthread_barrier_wait(&collective->barrier);
    return 0;
}

static sct_bootstrap bootstrap_of(member *self) {
    return (sct_bootstrap){.size = sizeof(sct_bootstrap),
                           .rank = self->rank,
                           .ranks = RANKS,
                           .allgather = gather,
                           .context = self};
}

static void *join(void *arg) {
    member *self = arg;
    sct_bootstrap bootstrap = bootstrap_of(self);
    sct_world *world = NULL;
    self->status = sct_world_create(&bootstrap, &self->options, self->placeless ? NULL : &world);
    CHECK(!self->status == (world != NULL));
    if (self->status) {
        snprintf(self->reason, sizeof self->reason, "%s", sct_last_reason());
        return NULL;
    }
    CHECK(sct_world_rank(world) == self->rank && sct_world_size(world) == RANKS);
    int pretended = self->options.ranks_per_node;
    CHECK(sct_world_ranks_per_node(world) == (pretended ? pretended : RANKS));
    CHECK(sct_world_barrier(world) == SCT_OK);
    sct_world_destroy(world);
    return NULL;
}

static void each_on_a_thread(void *(*function)(void *), member members[RANKS]) {
    pthread_t threads[RANKS];
    for (int r = 0; r < RANKS; r++)
        pthread_create(&threads[r], NULL, function, &members[r]);
    for (int r = 0; r < RANKS; r++)
        pthread_join(threads[r], NULL);
}

/* All ranks have what `odd` has, or that rank alone. */
static void try_joining(int who, member odd, int refuses, sct_status want, const char *word) {
    place collective = {.refuses = refuses};
    member members[RANKS];
    pthread_barrier_init(&collective.barrier, NULL, RANKS);
    for (int r = 0; r < RANKS; r++) {
        members[r] = who < 0 || who == r ? odd : (member){.gathers = 0};
        members[r].place = &collective;
        members[r].rank = r;
        members[r].options.size = sizeof odd.options;
    }
    each_on_a_thread(join, members);
    for (int r = 0; r < RANKS; r++)
        CHECK_CASE(members[r].status == want && strstr(members[r].reason, word) &&
                       strcmp(members[r].reason, members[0].reason) == 0,
                   "%s, rank %d: %s (%s)", word, r, sct_status_name(members[r].status),
                   members[r].reason);
    pthread_barrier_destroy(&collective.barrier);
}

static void refuse_joining(void) {
    static const struct {
        member odd;
        sct_status all, alone;
        const char *word;
    } rows[] = {
        {{.options = {.ranks_per_node = 2}}, SCT_OK, SCT_DISAGREE, "ranks_per_node"},
        {{.options = {.wrapped_apart = 1}}, SCT_OK, SCT_DISAGREE, "wrapped_apart"},
        {{.options = {.path = SCT_PATH_RMA}}, SCT_OK, SCT_DISAGREE, "path"},
        {{.options = {.path = 4}}, SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "path: 4"},
        {{.options = {.ranks_per_node = -2}},
         SCT_BAD_ARGUMENT,
         SCT_BAD_ARGUMENT,
         "-2 ranks per node"},
        {{.options = {.delay_us = -1}}, SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "delay"},
        {{.options = {.engine = "cuda"}}, SCT_NO_ENGINE, SCT_NO_ENGINE, "\"cuda\""},
        {{.placeless = true}, SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "the place for the world"},
        {{.options = {.seed = 5}}, SCT_OK, SCT_OK, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int who = -1; who < RANKS; who++) {
            sct_status want = who < 0 ? rows[i].all : rows[i].alone;
            try_joining(who, rows[i].odd, -1, want, want ? rows[i].word : "");
        }
    for (int refuses = 0; refuses < 2; refuses++)
        try_joining(-1, (member){.gathers = 0}, refuses, SCT_FAILED, "");
}

/* As if every rank were like this one. */
static int repeat(void *context, const void *mine, size_t bytes, void *all) {
    for (int r = 0; r < *(int *)context; r++)
        memcpy((char *)all + (size_t)r * bytes, mine, bytes);
    return 0;
}

static void refuse_crowds(void) {
    int ranks = 100000;
    sct_bootstrap bootstrap = {
        .size = sizeof bootstrap, .ranks = ranks, .allgather = repeat, .context = &ranks};
    sct_world *world = NULL;
    check_status(sct_world_create(&bootstrap, NULL, &world), SCT_BAD_ARGUMENT,
                 "100000 ranks on threads; at most 4096");
    CHECK(!world);
}

static void refuse_bootstraps(void) {
    static const int bad[][2] = {{0, 0}, {-1, 4}, {4, 4}, {0, -1}};
    member self = {.rank = 0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sct_bootstrap bootstrap = bootstrap_of(&self);
        sct_world *world = NULL;
        bootstrap.rank = bad[i][0];
        bootstrap.ranks = bad[i][1];
        check_status(sct_world_create(&bootstrap, NULL, &world), SCT_BAD_ARGUMENT, "rank");
        CHECK(!world);
    }
}

/* ---- Two worlds of the same threads ---- */

static sct_matrix *make(sct_world *world) {
    sct_layout *layout = layout_of("2d", 6, 6, RANKS);
    sct_matrix *matrix = NULL;
    CHECK(sct_matrix_create(world, SCT_F64, layout, &matrix) == SCT_OK);
    sct_layout_destroy(layout);
    matrix_set(world, matrix, (element){1, 0});
    return matrix;
}

/* Rank 2 alone is wrong; all are told so, and nobody waits in the other world. */
static void mix_alone(const member *self, const sct_view own[3], sct_view foreign) {
    double one = 1;
    for (int i = 0; i < 3; i++) {
        sct_view view[] = {own[0], own[1], own[2]};
        if (self->rank == 2)
            view[i] = foreign;
        check_status(sct_multiply(SCT_N, SCT_N, &one, view[0], view[1], &one, view[2], NULL),
                     SCT_BAD_ARGUMENT, "the matrix is of another world");
    }
    check_status(sct_copy(SCT_N, self->rank == 2 ? foreign : own[0], own[2], NULL),
                 SCT_BAD_ARGUMENT, "from: the matrix is of another world");
    check_status(sct_multiply(SCT_N, SCT_N, &one, own[0], own[1], &one, own[2], NULL), SCT_OK, "");
}

/* A matrix of one world is nothing to the other. */
static void *join_two(void *arg) {
    member *self = arg;
    sct_bootstrap bootstrap = bootstrap_of(self);
    sct_world_options far = {.size = sizeof far, .ranks_per_node = 1};
    sct_world *near = NULL, *other = NULL;
    CHECK(sct_world_create(&bootstrap, NULL, &near) == SCT_OK);
    CHECK(sct_world_create(&bootstrap, &far, &other) == SCT_OK);
    sct_matrix *a = make(near), *c = make(near), *x = make(other), *y = make(other);
    double one = 1;
    sct_view wa = sct_whole(a), wc = sct_whole(c), wx = sct_whole(x), wy = sct_whole(y);
    check_status(sct_multiply(SCT_N, SCT_N, &one, wa, wa, &one, wc, NULL), SCT_OK, "");
    check_status(sct_multiply(SCT_N, SCT_N, &one, wx, wx, &one, wy, NULL), SCT_OK, "");
    check_status(sct_multiply(SCT_N, SCT_N, &one, wa, wx, &one, wc, NULL), SCT_BAD_ARGUMENT,
                 "B: the matrix is of another world");
    check_status(sct_multiply(SCT_N, SCT_N, &one, wa, wa, &one, wy, NULL), SCT_BAD_ARGUMENT,
                 "another world");
    check_status(sct_copy(SCT_N, wx, wc, NULL), SCT_BAD_ARGUMENT, "from");
    mix_alone(self, (const sct_view[]){wa, wa, wc}, wx);
    mix_alone(self, (const sct_view[]){wx, wx, wy}, wa);
    sct_matrix *all[] = {a, c, x, y};
    for (int i = 0; i < 4; i++)
        sct_matrix_destroy(all[i]);
    sct_world_destroy(near);
    sct_world_destroy(other);
    return NULL;
}

static void mix_worlds(void) {
    place collective = {.refuses = -1};
    member members[RANKS];
    pthread_barrier_init(&collective.barrier, NULL, RANKS);
    for (int r = 0; r < RANKS; r++)
        members[r] = (member){.place = &collective, .rank = r};
    each_on_a_thread(join_two, members);
    pthread_barrier_destroy(&collective.barrier);
}

int main(void) {
    name_statuses();
    refuse_runs();
    report_failures();
    refuse_bootstraps();
    refuse_crowds();
    refuse_joining();
    mix_worlds();
    sct_world_destroy(NULL);
    return check_report("errors_world");
}
