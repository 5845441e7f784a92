/* errors_world.c - worlds that cannot be created, ranks that fail, and worlds created from a
 * bootstrap on threads of the test. */
#include "engine/emulated.h"
#include "fabric/sockets/socket.h"
#include "support/check.h"
#include "support/rank_threads.h"
#include "whole/support/collective_errors.h"
#include "whole/support/elements.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, REASON = 256 };

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
    static const size_t large = 4000;
    static const sct_threads_options few = {.size = sizeof few, .ranks_per_node = -1};
    static const struct {
        sct_world_options options;
        sct_status status;
        const char *word;
    } rows[] = {
        {{.engine = "mpi"},
         SCT_NO_ENGINE,
         "\"mpi\" is for the ranks of a communicator: sct_world_create_mpi"},
        {{.engine = ""},
         SCT_NO_ENGINE,
         "\"\" does not exist; engines: threads, processes, mpi, opencl, cuda"},
        {{.engine = "threads", .engine_options = &few},
         SCT_BAD_ARGUMENT,
         "options of the engine threads: ranks_per_node: -1 is not in 0 to"},
        {{.engine = "threads", .engine_options = &large},
         SCT_BAD_ARGUMENT,
         "options of the engine threads: a size of 4000 bytes is too large"},
        {{.wait_seconds = -6}, SCT_BAD_ARGUMENT, "wait_seconds: -6"},
    };
    sct_world_options future = {.size = sizeof future + 8};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sct_world_options options = rows[i].options;
        options.size = sizeof options;
        check_status(sct_run(RANKS, &options, count, NULL), rows[i].status, rows[i].word);
    }
    check_status(sct_run(RANKS, &future, count, NULL), SCT_BAD_ARGUMENT, "size");
    check_status(sct_run(0, NULL, count, NULL), SCT_BAD_ARGUMENT, "ranks: 0");
    check_status(sct_run(-3, NULL, count, NULL), SCT_BAD_ARGUMENT, "ranks: -3");
    setenv("SECTILE_WAIT_SECONDS", "1.5", 1);
    check_status(sct_run(RANKS, NULL, count, NULL), SCT_BAD_ARGUMENT,
                 "SECTILE_WAIT_SECONDS: '1.5' is not a whole number");
    unsetenv("SECTILE_WAIT_SECONDS");
    CHECK(atomic_load(&started) == 0);
    sct_world_options threads = {.size = sizeof threads, .engine = "threads"};
    check_status(sct_run(RANKS, &threads, count, NULL), SCT_OK, "");
    CHECK(atomic_load(&started) == RANKS);
}

static void name_statuses(void) {
    CHECK(strcmp(sct_status_name(SCT_OK), "done") == 0);
    CHECK(strcmp(sct_status_name((sct_status)99), "unknown status") == 0);
}

/* The reason names the lowest rank that failed. */
static void report_failures(void) {
    for (int first = 0; first < RANKS; first++) {
        char word[40];
        snprintf(word, sizeof word, "rank %d returned %d", first, 40 + first);
        check_status(sct_run(RANKS, NULL, fail_from, &first), SCT_FAILED, word);
    }
    int none = RANKS;
    check_status(sct_run(RANKS, NULL, fail_from, &none), SCT_OK, "");
}

/* ---- Threads of the test ---- */

typedef struct member {
    rank_thread thread;
    sct_world_options options;
    int number;     /* of the rank, where it is wrong */
    bool placeless; /* no place is passed for the world */
    sct_status status;
    char reason[REASON];
} member;

static void *join(void *arg) {
    member *self = arg;
    sct_bootstrap bootstrap = rank_threads_bootstrap(&self->thread);
    sct_world *world = NULL;
    self->status = sct_world_create(&bootstrap, &self->options, self->placeless ? NULL : &world);
    CHECK(!self->status == (world != NULL));
    if (self->status) {
        snprintf(self->reason, sizeof self->reason, "%s", sct_last_reason());
        return NULL;
    }
    CHECK(sct_world_rank(world) == self->thread.rank && sct_world_size(world) == RANKS);
    const sct_threads_options *own = self->options.engine_options;
    CHECK(sct_world_ranks_per_node(world) ==
          (own && own->ranks_per_node ? own->ranks_per_node : RANKS));
    CHECK(sct_world_barrier(world) == SCT_OK);
    int ranks[RANKS];
    CHECK(sct_world_gather(world, &self->thread.rank, sizeof(int), ranks) == SCT_OK);
    for (int i = 0; i < RANKS; i++)
        CHECK(ranks[i] == i);
    sct_world_destroy(world);
    return NULL;
}

/* `odd` is what all ranks join with (who is -1), or rank `who` alone. */
static void try_joining(int who, member odd, sct_status want, const char *word) {
    member members[RANKS];
    for (int r = 0; r < RANKS; r++) {
        members[r] = who < 0 || who == r ? odd : (member){.placeless = false};
        members[r].options.size = sizeof odd.options;
    }
    rank_threads_run(RANKS, join, members, sizeof *members);
    for (int r = 0; r < RANKS; r++)
        CHECK_CASE(members[r].status == want && strstr(members[r].reason, word) &&
                       strcmp(members[r].reason, members[0].reason) == 0,
                   "%s, rank %d: %s (%s)", word, r, sct_status_name(members[r].status),
                   members[r].reason);
}

/* Fails each allgather of a world in turn, on all ranks. A world of several nodes needs more, one
 * of them for each address of the host. */
static void fail_gathers(int ranks_per_node) {
    sct_addresses host = {.count = 0};
    sct_addresses_list(&host);
    int gathers = ranks_per_node ? 17 + host.count : 10;
    const sct_processes_options own = {.size = sizeof own, .ranks_per_node = ranks_per_node};
    member odd = {.options = {.engine = "processes", .engine_options = &own}};
    for (odd.thread.fails_at = 1; odd.thread.fails_at <= gathers; odd.thread.fails_at++)
        try_joining(-1, odd, SCT_FAILED, "");
    try_joining(-1, odd, SCT_OK, "");
}

static void refuse_joining(void) {
    static const sct_threads_options two = {.size = sizeof two, .ranks_per_node = 2};
    static const sct_threads_options few = {.size = sizeof few, .ranks_per_node = -2};
    static const size_t small = 3;
    static const emulated_options slow = {.size = sizeof slow, .delay_us = -5};
    static const emulated_options late = {.size = sizeof late, .text = "host,late=3,deferred"};
    static const sct_cuda_options cuda = {.size = sizeof cuda, .math = SCT_MATH_TF32};
    static const struct {
        member odd;
        sct_status all, alone;
        const char *word;
    } rows[] = {
        {{.options = {.engine_options = &two}}, SCT_OK, SCT_DISAGREE, "ranks_per_node"},
        {{.options = {.wait_seconds = 9}}, SCT_OK, SCT_DISAGREE, "wait_seconds"},
        {{.options = {.path = SCT_PATH_RMA}}, SCT_OK, SCT_DISAGREE, "path"},
        {{.options = {.path = 5}}, SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "path: 5"},
        {{.options = {.path = SCT_PATH_NVSHMEM}},
         SCT_BAD_ARGUMENT,
         SCT_BAD_ARGUMENT,
         "path: NVSHMEM is for the engine cuda; this world has threads"},
        {{.options = {.engine_options = &cuda}},
         SCT_BAD_ARGUMENT,
         SCT_BAD_ARGUMENT,
         "options of the engine threads: a size of"},
        {{.options = {.engine_options = &few}},
         SCT_BAD_ARGUMENT,
         SCT_BAD_ARGUMENT,
         "options of the engine threads: ranks_per_node: -2"},
        {{.options = {.engine = "emulated", .engine_options = &small}},
         SCT_BAD_ARGUMENT,
         SCT_BAD_ARGUMENT,
         "options of the engine emulated: a size of 3 bytes is too small"},
        {{.options = {.engine = "emulated", .engine_options = &slow}},
         SCT_BAD_ARGUMENT,
         SCT_BAD_ARGUMENT,
         "options of the engine emulated: delay_us: -5 is not in 0 to"},
        {{.options = {.engine = "emulated", .engine_options = &late}},
         SCT_BAD_ARGUMENT,
         SCT_BAD_ARGUMENT,
         "options of the engine emulated: 'late=3' is none"},
        {{.options = {.engine = "none"}}, SCT_NO_ENGINE, SCT_NO_ENGINE, "\"none\""},
        {{.options = {.engine = "processes"}}, SCT_OK, SCT_DISAGREE, "engine="},
        {{.options = {.engine = "processes", .engine_options = &two}},
         SCT_OK,
         SCT_DISAGREE,
         "engine="},
        {{.options = {.engine = "processes", .path = SCT_PATH_SOCKETS, .engine_options = &two}},
         SCT_OK,
         SCT_DISAGREE,
         "engine="},
        {{.placeless = true}, SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "output pointer 'world' is NULL"},
        {{.options = {.recent_calls = 5}}, SCT_OK, SCT_OK, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int who = -1; who < RANKS; who++) {
            sct_status want = who < 0 ? rows[i].all : rows[i].alone;
            try_joining(who, rows[i].odd, want, want ? rows[i].word : "");
        }
    for (int gather = 1; gather <= 5; gather++)
        try_joining(-1, (member){.thread.fails_at = gather}, SCT_FAILED, "");
    try_joining(-1, (member){.options = {.engine = "processes", .path = SCT_PATH_RMA}},
                SCT_NO_ENGINE, "path: without MPI");
    for (int nodes = 0; nodes < RANKS; nodes += 2)
        fail_gathers(nodes);
}

/* Of the options of an engine, some are the ranks' own, and others common to all. */
static void refuse_engine_options(void) {
    emulated_options usual = {.host = 1}, own = {.host = 1, .deferred = 1, .seed = 5};
    emulated_options alone = {.host = 1, .wrapped_alone = 1},
                     nodes = {.host = 1, .ranks_per_node = 2};
    const struct {
        emulated_options *odd;
        sct_status status;
        const char *word;
    } rows[] = {{&own, SCT_OK, ""},
                {&alone, SCT_DISAGREE, "rank 1 asks for wrapped_alone=1, but rank 0 for 0"},
                {&nodes, SCT_DISAGREE, "rank 1 asks for ranks_per_node=2, but rank 0 for 0"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        member members[RANKS];
        for (int r = 0; r < RANKS; r++)
            members[r] = (member){.options = emulated_world(r == 1 ? rows[i].odd : &usual)};
        rank_threads_run(RANKS, join, members, sizeof *members);
        for (int r = 0; r < RANKS; r++)
            CHECK_CASE(members[r].status == rows[i].status &&
                           strstr(members[r].reason, rows[i].word),
                       "%s, rank %d: %s", rows[i].word, r, members[r].reason);
    }
}

/* An allgather in which all ranks contribute what this one does. */
static int repeat(void *context, const void *mine, size_t bytes, void *all) {
    for (int r = 0; r < *(int *)context; r++)
        memcpy((char *)all + (size_t)r * bytes, mine, bytes);
    return 0;
}

static int never(sct_world *world, void *context) {
    CHECK(!world || !context);
    return 1;
}

static void refuse_crowds(void) {
    int ranks = 100000;
    sct_bootstrap bootstrap = {
        .size = sizeof bootstrap, .ranks = ranks, .allgather = repeat, .context = &ranks};
    sct_world *world = NULL;
    check_status(sct_world_create(&bootstrap, NULL, &world), SCT_BAD_ARGUMENT,
                 "100000 ranks are too many for threads; at most 4096");
    CHECK(!world);
    check_status(sct_run(ranks, NULL, never, NULL), SCT_BAD_ARGUMENT,
                 "100000 ranks are too many for threads; at most 4096");
}

static void refuse_bootstraps(void) {
    static const int bad[][2] = {{0, 0}, {-1, 4}, {4, 4}, {0, -1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int ranks = bad[i][1];
        sct_bootstrap bootstrap = {sizeof bootstrap, bad[i][0], ranks, repeat, &ranks};
        sct_world *world = NULL;
        check_status(sct_world_create(&bootstrap, NULL, &world), SCT_BAD_ARGUMENT, "rank");
        CHECK(!world);
    }
}

/* Ranks whose numbers are not their places in what allgather gives. */
static void *join_in_place(void *arg) {
    member *self = arg;
    sct_bootstrap bootstrap = rank_threads_bootstrap(&self->thread);
    sct_world *world = NULL;
    bootstrap.rank = self->number;
    check_status(sct_world_create(&bootstrap, NULL, &world), SCT_BAD_ARGUMENT,
                 "bootstrap: its allgather puts what rank");
    CHECK(!world);
    return NULL;
}

static void refuse_places(void) {
    for (int second = 0; second < 2; second++) {
        member members[RANKS] = {{.number = 0}};
        for (int r = 0; r < RANKS; r++)
            members[r].number = r > 1 ? r : r == 1 ? second : 1;
        rank_threads_run(RANKS, join_in_place, members, sizeof *members);
    }
}

/* ---- Two worlds of the same threads ---- */

static sct_matrix *make(sct_world *world) {
    sct_matrix *matrix = matrix_new(world, SCT_F64, "2d", 6, 6);
    matrix_set(world, matrix, (element){1, 0});
    return matrix;
}

/* Rank 2 alone passes a matrix of another world: all ranks are told, and none waits in the other
 * world. */
static void mix_alone(const member *self, const sct_view own[3], sct_view foreign) {
    double one = 1;
    for (int i = 0; i < 3; i++) {
        sct_view view[] = {own[0], own[1], own[2]};
        if (self->thread.rank == 2)
            view[i] = foreign;
        check_status(sct_multiply(SCT_N, SCT_N, &one, view[0], view[1], &one, view[2], NULL),
                     SCT_BAD_ARGUMENT, "the matrix belongs to another world");
    }
    check_status(sct_copy(SCT_N, self->thread.rank == 2 ? foreign : own[0], own[2], NULL),
                 SCT_BAD_ARGUMENT, "from: the matrix belongs to another world");
    check_status(sct_multiply(SCT_N, SCT_N, &one, own[0], own[1], &one, own[2], NULL), SCT_OK, "");
}

/* Matrices of two worlds cannot be mixed. */
static void *join_two(void *arg) {
    member *self = arg;
    sct_bootstrap bootstrap = rank_threads_bootstrap(&self->thread);
    emulated_options emulated = {.host = 1, .ranks_per_node = 1};
    const sct_world_options far = emulated_world(&emulated);
    sct_world *near = NULL, *other = NULL;
    CHECK(sct_world_create(&bootstrap, NULL, &near) == SCT_OK);
    CHECK(sct_world_create(&bootstrap, &far, &other) == SCT_OK);
    sct_matrix *a = make(near), *c = make(near), *x = make(other), *y = make(other);
    double one = 1;
    sct_view wa = sct_whole(a), wc = sct_whole(c), wx = sct_whole(x), wy = sct_whole(y);
    check_status(sct_multiply(SCT_N, SCT_N, &one, wa, wa, &one, wc, NULL), SCT_OK, "");
    check_status(sct_multiply(SCT_N, SCT_N, &one, wx, wx, &one, wy, NULL), SCT_OK, "");
    check_status(sct_multiply(SCT_N, SCT_N, &one, wa, wx, &one, wc, NULL), SCT_BAD_ARGUMENT,
                 "B: the matrix belongs to another world");
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
    member members[RANKS] = {{.placeless = false}};
    rank_threads_run(RANKS, join_two, members, sizeof *members);
}

int main(void) {
    name_statuses();
    refuse_runs();
    report_failures();
    refuse_bootstraps();
    refuse_places();
    refuse_crowds();
    refuse_joining();
    refuse_engine_options();
    mix_worlds();
    sct_world_destroy(NULL);
    return check_report("errors_world");
}
