/* rank_leaves.c - the main of one rank returns while the others still compute, with its matrices
 * destroyed or not. The calls of the others fail with a reason, nobody waits forever, and the world
 * can be destroyed. */
#include "api/world.h"
#include "engine/emulated.h"

#include "support/check.h"
#include "whole/support/elements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 4, SIZE = 40, MATRICES = 3, STEPS = 9, LIMIT = 100 };

/* How a rank leaves. */
typedef enum manner { DROPS_ALL, DESTROYS_ALL, FAILS } manner;

typedef struct scenario {
    emulated_options emulated;
    sct_options options;
    manner manner;
    int leaver, last; /* the rank, and how many calls it still makes */
    bool wraps;
} scenario;

typedef struct rank_state {
    const scenario *scenario;
    sct_world *world;
    sct_layout *layout[MATRICES];
    sct_matrix *matrix[MATRICES];
    double *memory[MATRICES];
    sct_plan *plan;
    sct_job *job;
} rank_state;

static const double one = 1;

static sct_view whole(const rank_state *s, int matrix) {
    return sct_whole(s->matrix[matrix]);
}

static sct_status make_matrix(rank_state *s, int i) {
    size_t bytes;
    CHECK(sct_layout_bytes(s->layout[i], SCT_F64, sct_world_rank(s->world), &bytes) == SCT_OK);
    s->memory[i] = calloc(bytes + 1, 1);
    return s->scenario->wraps
               ? sct_matrix_wrap(s->world, SCT_F64, s->layout[i], s->memory[i], 0, &s->matrix[i])
               : sct_matrix_create(s->world, SCT_F64, s->layout[i], &s->matrix[i]);
}

static void make_plan(rank_state *s) {
    sct_problem problem = {.size = sizeof problem,
                           .type = SCT_F64,
                           .op_b = SCT_T,
                           .a = s->layout[0],
                           .b = s->layout[1],
                           .c = s->layout[2],
                           .ranks = RANKS,
                           .ranks_per_node = sct_matrix_ranks_per_node(s->matrix[0])};
    CHECK(sct_plan_create(&problem, sct_world_rank(s->world), &s->scenario->options, &s->plan) ==
          SCT_OK);
}

/* The calls that all ranks make, by number. */
static sct_status take_step(rank_state *s, int step) {
    switch (step) {
    case 0:
    case 1:
    case 2:
        return make_matrix(s, step);
    case 3:
        return sct_world_barrier(s->world);
    case 4:
        return sct_multiply(SCT_N, SCT_T, &one, whole(s, 0), whole(s, 1), &one, whole(s, 2),
                            &s->scenario->options);
    case 5:
        make_plan(s);
        return sct_job_create(s->world, s->plan, whole(s, 0), whole(s, 1), whole(s, 2), &s->job);
    case 6:
        return sct_job_start(s->job, &one, &one);
    case 7:
        return sct_job_wait(s->job);
    default:
        return sct_copy(SCT_T, whole(s, 0), whole(s, 2), NULL);
    }
}

/* The first call without the leaver fails, and so does everything after it. */
static void check_step(const rank_state *s, int step, sct_status status) {
    const scenario *c = s->scenario;
    char reason[40];
    snprintf(reason, sizeof reason, "rank %d has left", c->leaver);
    bool fine = step < c->last;
    bool left = status == SCT_FAILED && strcmp(sct_last_reason(), reason) == 0;
    /* A leaver that destroys its matrices makes another collective call than the others. */
    bool differs = c->manner != DROPS_ALL && status == SCT_DISAGREE &&
                   strcmp(sct_last_reason(), "the ranks made different collective calls") == 0;
    CHECK_CASE(fine ? !status : left || differs, "step %d, last %d of rank %d: %s (%s)", step,
               c->last, c->leaver, sct_status_name(status), sct_last_reason());
}

/* Frees the handles that a rank drops without destroying them, so that they do not count as leaks.
 */
static void drop(rank_state *s) {
    for (int i = 0; i < MATRICES; i++)
        if (s->matrix[i]) {
            sct_layout_destroy((sct_layout *)s->matrix[i]->layout);
            free(s->matrix[i]);
        }
}

static void destroy(rank_state *s) {
    for (int i = 0; i < MATRICES; i++)
        sct_matrix_destroy(s->matrix[i]);
}

static void make_layouts(rank_state *s) {
    static const char *const texts[] = {"cyclic:3x5", "row", "2d"};
    for (int i = 0; i < MATRICES; i++)
        s->layout[i] = layout_of(texts[i], SIZE, SIZE, RANKS);
}

static int rank_main(sct_world *world, void *arg) {
    const scenario *c = arg;
    rank_state s = {.scenario = c, .world = world};
    bool leaves = sct_world_rank(world) == c->leaver;
    make_layouts(&s);
    sct_status status = SCT_OK;
    for (int step = 0; step < (leaves ? c->last : STEPS) && !status; step++)
        check_step(&s, step, status = take_step(&s, step));
    if (status && s.job)
        CHECK(sct_job_wait(s.job) == SCT_BAD_ARGUMENT); /* it is not running */
    /* Later calls fail, too. */
    if (!leaves)
        check_step(&s, STEPS, sct_world_barrier(world));
    sct_job_destroy(s.job);
    sct_plan_destroy(s.plan);
    if (leaves && c->manner == DROPS_ALL)
        drop(&s);
    else
        destroy(&s);
    for (int i = 0; i < MATRICES; i++) {
        sct_layout_destroy(s.layout[i]);
        free(s.memory[i]);
    }
    return leaves ? c->manner == FAILS ? 7 : 0 : status != SCT_OK;
}

static void play(scenario *c) {
    const sct_world_options world = emulated_world(&c->emulated);
    sct_status status = sct_run(RANKS, &world, rank_main, c);
    char reason[40];
    int lowest = c->leaver == 0 && c->manner != FAILS ? 1 : 0;
    snprintf(reason, sizeof reason, "rank %d returned %d", lowest, c->leaver == lowest ? 7 : 1);
    CHECK_CASE(status == SCT_FAILED && strcmp(sct_last_reason(), reason) == 0, "%s (%s)",
               sct_status_name(status), sct_last_reason());
}

int main(void) {
    uint64_t random = check_seed(1);
    alarm(LIMIT);
    for (int i = 0; i < STEPS * 3 * 2 * 4; i++) {
        int mode = i / (STEPS * 3 * 2);
        scenario c = {.emulated = {.host = 1,
                                   .ranks_per_node = mode % 2 ? 1 + i % 2 : 0,
                                   .delay_us = mode % 2 ? 100 : 0,
                                   .deferred = mode / 2,
                                   .seed = check_random(&random)},
                      .options = {.size = sizeof c.options,
                                  .ordered = i % 2,
                                  .stay = (sct_stay)check_between(&random, SCT_STAY_A, SCT_STAY_C)},
                      .manner = (manner)(i / STEPS % 3),
                      .leaver = (int)check_between(&random, 0, RANKS - 1),
                      .last = i % STEPS,
                      .wraps = i / (STEPS * 3) % 2};
        /* Wrapped memory may only be freed after its matrix is destroyed. */
        if (c.manner != DROPS_ALL || !c.wraps)
            play(&c);
    }
    return check_report("rank_leaves");
}
