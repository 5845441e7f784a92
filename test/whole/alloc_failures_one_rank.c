/* alloc_failures_one_rank.c - the n-th allocation or thread creation of one rank fails, for n = 1,
 * 2, ... until there is no n-th. Each time the call fails on all ranks with the same reason, leaks
 * nothing and does not hang; at last it works. */
#include "engine/emulated.h"
#include "support/check.h"
#include "support/rank_threads.h"
#include "whole/support/alloc_faults.h"
#include "whole/support/elements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* MOST exceeds the allocations of any call. */
enum { RANKS = 3, REASON = 256, SIZE = 12, MOST = 500, LIMIT = 100 };

/* ---- The calls ---- */

typedef struct rank_state {
    sct_world *world;
    int rank;
    sct_layout *layout[3];
    sct_matrix *matrix[3], *made;
    double *memory, *of_c;
    sct_plan *plan;
    sct_job *job;
    sct_options options;
} rank_state;

static const double one = 1;

static sct_view whole(const rank_state *s, int matrix) {
    return sct_whole(s->matrix[matrix]);
}

static sct_status call_create(rank_state *s) {
    return sct_matrix_create(s->world, SCT_F64, s->layout[0], &s->made);
}

static sct_status call_wrap(rank_state *s) {
    return sct_matrix_wrap(s->world, SCT_F64, s->layout[0], s->memory, 0, &s->made);
}

static void undo_matrix(rank_state *s) {
    sct_matrix_destroy(s->made);
}

static sct_status call_multiply(rank_state *s) {
    return sct_multiply(SCT_N, SCT_T, &one, whole(s, 0), whole(s, 1), &one, whole(s, 2),
                        &s->options);
}

static sct_status call_job(rank_state *s) {
    return sct_job_create(s->world, s->plan, whole(s, 0), whole(s, 1), whole(s, 2), &s->job);
}

static void undo_job(rank_state *s) {
    CHECK(sct_job_start(s->job, &one, &one) == SCT_OK);
    CHECK(sct_job_wait(s->job) == SCT_OK);
    sct_job_destroy(s->job);
}

static sct_status call_copy(rank_state *s) {
    return sct_copy(SCT_T, whole(s, 0), whole(s, 2), NULL);
}

static sct_status call_broadcast(rank_state *s) {
    return sct_matrix_broadcast_replica(s->matrix[2], 0);
}

static sct_status call_reduce(rank_state *s) {
    return sct_matrix_reduce_replicas(s->matrix[2], 0);
}

static void undo_nothing(rank_state *s) {
    (void)s;
}

typedef struct call {
    const char *name;
    sct_status (*make)(rank_state *s);
    void (*undo)(rank_state *s);
    /* Whether C is unchanged wherever memory ran out: always, or if nothing has to be queued,
     * because the call then allocates everything before it begins. */
    bool keeps_c, keeps_c_at_once;
} call;

static const call calls[] = {{"create", call_create, undo_matrix, true, true},
                             {"wrap", call_wrap, undo_matrix, true, true},
                             {"job", call_job, undo_job, true, true},
                             {"multiply", call_multiply, undo_nothing, false, true},
                             {"copy", call_copy, undo_nothing, false, false},
                             {"broadcast", call_broadcast, undo_nothing, false, false},
                             {"reduce", call_reduce, undo_nothing, false, false}};

/* ---- All ranks must get the same result ---- */

/* The options of a run, and where its ranks compare their results. */
typedef struct fault_run {
    emulated_options emulated;
    sct_options options;
    bool wraps_c; /* in memory of the host */
    int victim;
    struct {
        sct_status status;
        char reason[REASON];
    } seen[RANKS];
} fault_run;

static void compare(fault_run *p, const rank_state *s, const call *c, long n, sct_status status) {
    p->seen[s->rank].status = status;
    snprintf(p->seen[s->rank].reason, REASON, "%s", status ? sct_last_reason() : "");
    CHECK(sct_world_barrier(s->world) == SCT_OK);
    CHECK_CASE(status == p->seen[p->victim].status &&
                   strcmp(p->seen[s->rank].reason, p->seen[p->victim].reason) == 0,
               "%s, allocation %ld: \"%s\" on rank %d, \"%s\" on rank %d", c->name, n,
               p->seen[s->rank].reason, s->rank, p->seen[p->victim].reason, p->victim);
    CHECK_CASE(!status || is_alloc_failure(status, p->seen[s->rank].reason),
               "%s, allocation %ld: %s (%s)", c->name, n, sct_status_name(status),
               p->seen[s->rank].reason);
    CHECK(sct_world_barrier(s->world) == SCT_OK);
}

/* Returns whether there was an n-th allocation. */
static bool fail_at(fault_run *p, rank_state *s, const call *c, long n) {
    bool victim = s->rank == p->victim;
    source from = {.seed = 5, .most = 9};
    matrix_fill(s->world, s->matrix[2], from);
    CHECK(sct_world_barrier(s->world) == SCT_OK);
    alloc_countdown = victim ? n : -1;
    sct_status status = c->make(s);
    bool reached = victim && alloc_countdown < 0;
    alloc_countdown = -1;
    compare(p, s, c, n, status);
    CHECK_CASE(!victim || reached == (status != SCT_OK), "%s, allocation %ld: %s", c->name, n,
               sct_status_name(status));
    bool at_once = p->emulated.ranks_per_node == 0 && !p->emulated.deferred;
    if (!status)
        c->undo(s);
    else if (c->keeps_c || (at_once && c->keeps_c_at_once))
        CHECK(matrix_count_wrong(s->world, s->matrix[2], from) == 0);
    return status != SCT_OK;
}

static void fail_each(fault_run *p, rank_state *s) {
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        long n = 0;
        while (n < MOST && fail_at(p, s, &calls[i], n))
            n++;
        CHECK_CASE(n > 0 && n < MOST, "%s: %ld allocations", calls[i].name, n);
    }
}

static double *memory_for(const rank_state *s, const sct_layout *layout) {
    size_t bytes = 0;
    CHECK(sct_layout_bytes(layout, SCT_F64, s->rank, &bytes) == SCT_OK);
    return malloc(bytes + 1);
}

static void prepare(const fault_run *p, rank_state *s) {
    static const char *const texts[] = {"cyclic:2x5", "row", "col*3"};
    for (int i = 0; i < 3; i++)
        s->layout[i] = layout_of(texts[i], SIZE, SIZE, RANKS);
    s->memory = memory_for(s, s->layout[0]);
    s->of_c = memory_for(s, s->layout[2]);
    for (int i = 0; i < 3; i++) {
        sct_status status =
            i == 2 && p->wraps_c
                ? sct_matrix_wrap(s->world, SCT_F64, s->layout[i], s->of_c, 0, &s->matrix[i])
                : sct_matrix_create(s->world, SCT_F64, s->layout[i], &s->matrix[i]);
        CHECK(status == SCT_OK);
        matrix_fill(s->world, s->matrix[i], (source){.seed = 1, .most = 9});
    }
}

static void make_plan(const fault_run *p, rank_state *s) {
    sct_problem problem = {.size = sizeof problem,
                           .type = SCT_F64,
                           .a = s->layout[0],
                           .b = s->layout[1],
                           .c = s->layout[2],
                           .ranks = RANKS,
                           .ranks_per_node = p->emulated.ranks_per_node};
    sct_status status = SCT_NO_MEMORY;
    long n = 0;
    for (; n < MOST && status; n++) {
        alloc_countdown = n;
        status = sct_plan_create(&problem, s->rank, &p->options, &s->plan);
        bool reached = alloc_countdown < 0;
        alloc_countdown = -1;
        CHECK_CASE(status == (reached ? SCT_NO_MEMORY : SCT_OK), "plan, allocation %ld: %s", n,
                   sct_status_name(status));
    }
    CHECK(n > 1);
}

static int rank_main(sct_world *world, void *arg) {
    fault_run *p = arg;
    rank_state s = {.world = world, .rank = sct_world_rank(world), .options = p->options};
    prepare(p, &s);
    make_plan(p, &s);
    fail_each(p, &s);
    sct_plan_destroy(s.plan);
    for (int i = 0; i < 3; i++) {
        sct_matrix_destroy(s.matrix[i]);
        sct_layout_destroy(s.layout[i]);
    }
    free(s.memory);
    free(s.of_c);
    return 0;
}

static void fail_calls(void) {
    for (int i = 0; i < 2 * 2 * 2 * 3; i++) {
        fault_run p = {.emulated = {.host = 1, .ranks_per_node = i % 2, .deferred = i / 2 % 2},
                       .options = {.size = sizeof p.options,
                                   .ordered = i / 4 % 2,
                                   .stay = (sct_stay)(SCT_STAY_A + i / 8)},
                       .victim = i % RANKS};
        const sct_world_options world = emulated_world(&p.emulated);
        CHECK(sct_run(RANKS, &world, rank_main, &p) == SCT_OK);
    }
    for (int i = 0; i < RANKS * 2; i++) {
        fault_run p = {
            .emulated = {.ranks_per_node = 1},
            .options = {.size = sizeof p.options, .stay = (sct_stay)(SCT_STAY_A + i % RANKS)},
            .wraps_c = i / RANKS,
            .victim = i % RANKS};
        const sct_world_options world = emulated_world(&p.emulated);
        CHECK(sct_run(RANKS, &world, rank_main, &p) == SCT_OK);
    }
}

/* ---- Worlds ---- */

typedef struct member {
    rank_thread thread;
    const sct_world_options *options;
    long n; /* the allocation that fails; negative: none */
    bool reached;
    sct_status status;
    char reason[REASON];
} member;

static void *join(void *arg) {
    member *self = arg;
    sct_bootstrap bootstrap = rank_threads_bootstrap(&self->thread);
    sct_world *world = NULL;
    alloc_countdown = self->n;
    self->status = sct_world_create(&bootstrap, self->options, &world);
    self->reached = self->n >= 0 && alloc_countdown < 0;
    alloc_countdown = -1;
    snprintf(self->reason, REASON, "%s", self->status ? sct_last_reason() : "");
    CHECK(!self->status == (world != NULL));
    sct_world_destroy(world);
    return NULL;
}

/* With sockets, the reason is that the victim cannot be reached. If its memory runs out as it is
 * the last to receive what ends the call, the others learn of it in their next one. */
static bool is_right(const member *each, const member *victim, bool by_sockets) {
    if (by_sockets)
        return victim->status ? victim->reached : each->status == SCT_OK;
    return (victim->reached ? is_alloc_failure(each->status, each->reason)
                            : each->status == SCT_OK) &&
           strcmp(each->reason, victim->reason) == 0;
}

/* Returns whether there was an n-th allocation. */
static bool join_all(const sct_world_options *options, bool by_sockets, int victim, long n) {
    member members[RANKS];
    for (int r = 0; r < RANKS; r++)
        members[r] = (member){.options = options, .n = r == victim ? n : -1};
    rank_threads_run(RANKS, join, members, sizeof *members);
    for (int r = 0; r < RANKS; r++)
        CHECK_CASE(is_right(&members[r], &members[victim], by_sockets),
                   "world, allocation %ld of rank %d: %s (%s) on rank %d", n, victim,
                   sct_status_name(members[r].status), members[r].reason, r);
    return members[victim].reached;
}

static void fail_world(const sct_world_options *options, bool by_sockets, int victim) {
    long n = 0;
    while (n < MOST && join_all(options, by_sockets, victim, n))
        n++;
    CHECK(n > 1 && n < MOST);
}

static void fail_worlds(void) {
    for (int i = 0; i < RANKS * 4; i++) {
        emulated_options emulated = {.host = 1, .ranks_per_node = i % 2, .deferred = i / 2 % 2};
        const sct_world_options world = emulated_world(&emulated);
        fail_world(&world, false, i / 4);
    }
    for (int i = 0; i < RANKS * 2; i++) {
        const sct_processes_options nodes = {.size = sizeof nodes, .ranks_per_node = i % 2};
        const sct_world_options world = {
            .size = sizeof world, .engine = "processes", .engine_options = &nodes};
        fail_world(&world, i % 2, i / 2);
    }
    for (int victim = 0; victim < RANKS; victim++)
        fail_world(&(sct_world_options){.size = sizeof(sct_world_options), .engine = "emulated"},
                   false, victim);
}

int main(void) {
    alarm(LIMIT);
    fail_worlds();
    fail_calls();
    return check_report("alloc_failures_one_rank");
}
