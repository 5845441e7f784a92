/* faults_memory.c - the n-th allocation, or thread, of one rank fails, for n = 1, 2, ... until
 * there is no n-th: every call then fails on all ranks alike, leaks nothing, hangs nowhere, and
 * works the next time. */
#include "support/check.h"
#include "whole/support/elements.h"
#include "whole/support/scarce.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* MOST: more allocations than any call makes. */
enum { RANKS = 3, REASON = 256, SIZE = 12, MOST = 500, LIMIT = 100 };

/* ---- The calls ---- */

typedef struct stage {
    sct_world *world;
    int rank;
    sct_layout *layout[3];
    sct_matrix *matrix[3], *made;
    double *memory;
    sct_plan *plan;
    sct_job *job;
    sct_options options;
} stage;

static const double one = 1;

static sct_view whole(const stage *s, int matrix) {
    return sct_whole(s->matrix[matrix]);
}

static sct_status call_create(stage *s) {
    return sct_matrix_create(s->world, SCT_F64, s->layout[0], &s->made);
}

static sct_status call_wrap(stage *s) {
    return sct_matrix_wrap(s->world, SCT_F64, s->layout[0], s->memory, 0, &s->made);
}

static void undo_matrix(stage *s) {
    sct_matrix_destroy(s->made);
}

static sct_status call_multiply(stage *s) {
    return sct_multiply(SCT_N, SCT_T, &one, whole(s, 0), whole(s, 1), &one, whole(s, 2),
                        &s->options);
}

static sct_status call_job(stage *s) {
    return sct_job_create(s->world, s->plan, whole(s, 0), whole(s, 1), whole(s, 2), &s->job);
}

static void undo_job(stage *s) {
    CHECK(sct_job_start(s->job, &one, &one) == SCT_OK);
    CHECK(sct_job_wait(s->job) == SCT_OK);
    sct_job_destroy(s->job);
}

static sct_status call_copy(stage *s) {
    return sct_copy(SCT_T, whole(s, 0), whole(s, 2), NULL);
}

static sct_status call_broadcast(stage *s) {
    return sct_matrix_broadcast_replica(s->matrix[2], 0);
}

static sct_status call_reduce(stage *s) {
    return sct_matrix_reduce_replicas(s->matrix[2], 0);
}

static void undo_nothing(stage *s) {
    (void)s;
}

typedef struct call {
    const char *name;
    sct_status (*make)(stage *s);
    void (*undo)(stage *s);
    /* Whether C is as it was, wherever memory ran out: always, or where the call takes all that it
     * needs before it begins, as it does if nothing has to be queued. */
    bool keeps_c, keeps_c_at_once;
} call;

static const call calls[] = {{"create", call_create, undo_matrix, true, true},
                             {"wrap", call_wrap, undo_matrix, true, true},
                             {"job", call_job, undo_job, true, true},
                             {"multiply", call_multiply, undo_nothing, false, true},
                             {"copy", call_copy, undo_nothing, false, false},
                             {"broadcast", call_broadcast, undo_nothing, false, false},
                             {"reduce", call_reduce, undo_nothing, false, false}};

/* ---- All ranks come to the same end ---- */

/* What a world is like, and where its ranks compare what they were told. */
typedef struct play {
    sct_world_options world;
    sct_options options;
    int victim;
    struct {
        sct_status status;
        char reason[REASON];
    } seen[RANKS];
} play;

static void compare(play *p, const stage *s, const call *c, long n, sct_status status) {
    p->seen[s->rank].status = status;
    snprintf(p->seen[s->rank].reason, REASON, "%s", status ? sct_last_reason() : "");
    CHECK(sct_world_barrier(s->world) == SCT_OK);
    CHECK_CASE(status == p->seen[p->victim].status &&
                   strcmp(p->seen[s->rank].reason, p->seen[p->victim].reason) == 0,
               "%s, allocation %ld: \"%s\" on rank %d, \"%s\" on rank %d", c->name, n,
               p->seen[s->rank].reason, s->rank, p->seen[p->victim].reason, p->victim);
    CHECK_CASE(!status || scarce_told(status, p->seen[s->rank].reason),
               "%s, allocation %ld: %s (%s)", c->name, n, sct_status_name(status),
               p->seen[s->rank].reason);
    CHECK(sct_world_barrier(s->world) == SCT_OK);
}

/* Returns whether there was an n-th allocation. */
static bool fail_at(play *p, stage *s, const call *c, long n) {
    bool victim = s->rank == p->victim;
    source from = {.seed = 5, .most = 9};
    matrix_fill(s->world, s->matrix[2], from);
    CHECK(sct_world_barrier(s->world) == SCT_OK);
    scarce_left = victim ? n : -1;
    sct_status status = c->make(s);
    bool reached = victim && scarce_left < 0;
    scarce_left = -1;
    compare(p, s, c, n, status);
    CHECK_CASE(!victim || reached == (status != SCT_OK), "%s, allocation %ld: %s", c->name, n,
               sct_status_name(status));
    bool at_once = p->world.ranks_per_node == 0 && !p->world.deferred;
    if (!status)
        c->undo(s);
    else if (c->keeps_c || (at_once && c->keeps_c_at_once))
        CHECK(matrix_differs(s->world, s->matrix[2], from) == 0);
    return status != SCT_OK;
}

static void fail_each(play *p, stage *s) {
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        long n = 0;
        while (n < MOST && fail_at(p, s, &calls[i], n))
            n++;
        CHECK_CASE(n > 0 && n < MOST, "%s: %ld allocations", calls[i].name, n);
    }
}

static void prepare(stage *s) {
    static const char *const texts[] = {"cyclic:2x5", "row", "col*3"};
    for (int i = 0; i < 3; i++) {
        s->layout[i] = layout_of(texts[i], SIZE, SIZE, RANKS);
        CHECK(sct_matrix_create(s->world, SCT_F64, s->layout[i], &s->matrix[i]) == SCT_OK);
        matrix_fill(s->world, s->matrix[i], (source){.seed = 1, .most = 9});
    }
    size_t bytes;
    CHECK(sct_layout_bytes(s->layout[0], SCT_F64, s->rank, &bytes) == SCT_OK);
    s->memory = malloc(bytes + 1);
}

static void make_plan(const play *p, stage *s) {
    sct_problem problem = {.size = sizeof problem,
                           .type = SCT_F64,
                           .a = s->layout[0],
                           .b = s->layout[1],
                           .c = s->layout[2],
                           .ranks = RANKS,
                           .ranks_per_node = p->world.ranks_per_node};
    sct_status status = SCT_NO_MEMORY;
    long n = 0;
    for (; n < MOST && status; n++) {
        scarce_left = n;
        status = sct_plan_create(&problem, s->rank, &p->options, &s->plan);
        bool reached = scarce_left < 0;
        scarce_left = -1;
        CHECK_CASE(status == (reached ? SCT_NO_MEMORY : SCT_OK), "plan, allocation %ld: %s", n,
                   sct_status_name(status));
    }
    CHECK(n > 1);
}

static int rank_main(sct_world *world, void *arg) {
    play *p = arg;
    stage s = {.world = world, .rank = sct_world_rank(world), .options = p->options};
    prepare(&s);
    make_plan(p, &s);
    fail_each(p, &s);
    sct_plan_destroy(s.plan);
    for (int i = 0; i < 3; i++) {
        sct_matrix_destroy(s.matrix[i]);
        sct_layout_destroy(s.layout[i]);
    }
    free(s.memory);
    return 0;
}

static void fail_calls(void) {
    for (int i = 0; i < 2 * 2 * 2 * 3; i++) {
        play p = {.world = {.size = sizeof p.world, .ranks_per_node = i % 2, .deferred = i / 2 % 2},
                  .options = {.size = sizeof p.options,
                              .ordered = i / 4 % 2,
                              .stay = (sct_stay)(SCT_STAY_A + i / 8)},
                  .victim = i % RANKS};
        CHECK(sct_run(RANKS, &p.world, rank_main, &p) == SCT_OK);
    }
}

/* ---- Worlds ---- */

typedef struct place {
    pthread_barrier_t barrier;
    const void *mine[RANKS];
    sct_world_options options;
    int victim;
    long n;
} place;

typedef struct member {
    place *place;
    int rank;
    bool reached;
    sct_status status;
    char reason[REASON];
} member;

static int gather(void *context, const void *mine, size_t bytes, void *all) {
    member *self = context;
    place *collective = self->place;
    collective->mine[self->rank] = mine;
    pthread_barrier_wait(&collective->barrier);
    for (int r = 0; r < RANKS; r++)
        memcpy((char *)all + (size_t)r * bytes, collective->mine[r], bytes);
    pthread_barrier_wait(&collective->barrier);
    return 0;
}

static void *join(void *arg) {
    member *self = arg;
    sct_bootstrap bootstrap = {sizeof bootstrap, self->rank, RANKS, gather, self};
    sct_world *world = NULL;
    scarce_left = self->rank == self->place->victim ? self->place->n : -1;
    self->status = sct_world_create(&bootstrap, &self->place->options, &world);
    self->reached = self->rank == self->place->victim && scarce_left < 0;
    scarce_left = -1;
    snprintf(self->reason, REASON, "%s", self->status ? sct_last_reason() : "");
    CHECK(!self->status == (world != NULL));
    sct_world_destroy(world);
    return NULL;
}

/* Returns whether there was an n-th allocation. */
static bool join_all(place *collective) {
    member members[RANKS];
    pthread_t threads[RANKS];
    for (int r = 0; r < RANKS; r++) {
        members[r] = (member){.place = collective, .rank = r};
        pthread_create(&threads[r], NULL, join, &members[r]);
    }
    for (int r = 0; r < RANKS; r++)
        pthread_join(threads[r], NULL);
    bool reached = members[collective->victim].reached;
    for (int r = 0; r < RANKS; r++)
        CHECK_CASE((reached ? scarce_told(members[r].status, members[r].reason)
                            : members[r].status == SCT_OK) &&
                       strcmp(members[r].reason, members[0].reason) == 0,
                   "world, allocation %ld of rank %d: %s (%s) on rank %d", collective->n,
                   collective->victim, sct_status_name(members[r].status), members[r].reason, r);
    return reached;
}

static void fail_worlds(void) {
    for (int i = 0; i < RANKS * 4; i++) {
        place collective = {.options = {.size = sizeof collective.options,
                                        .ranks_per_node = i % 2,
                                        .deferred = i / 2 % 2},
                            .victim = i / 4};
        pthread_barrier_init(&collective.barrier, NULL, RANKS);
        while (collective.n < MOST && join_all(&collective))
            collective.n++;
        CHECK(collective.n > 1 && collective.n < MOST);
        pthread_barrier_destroy(&collective.barrier);
    }
}

int main(void) {
    alarm(LIMIT);
    fail_worlds();
    fail_calls();
    return check_report("faults_memory");
}
