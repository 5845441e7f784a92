/* ordered.c - one plan, run a hundred times with `ordered` under random delays: the same bits each
 * time. */
#include "support/check.h"
#include "whole/support/elements.h"

#include <inttypes.h>
#include <string.h>

enum { RUNS = 100, SIZE = 24 };

typedef struct ordered {
    const char *layout[3];
    sct_type type;
    sct_options options;
    int64_t changes[16]; /* by rank */
} ordered;

static void hash_element(void *context, int64_t row, int64_t col, void *at) {
    uint64_t *hash = context, bits = 0;
    (void)row;
    (void)col;
    memcpy(&bits, at, 4);
    *hash = (*hash ^ bits) * 1099511628211u;
    memcpy(&bits, (char *)at + 4, 4);
    *hash = (*hash ^ bits) * 1099511628211u;
}

static sct_plan *make_plan(sct_world *world, const ordered *o, sct_layout *const layout[3]) {
    sct_problem problem = {.size = sizeof problem,
                           .type = o->type,
                           .a = layout[0],
                           .b = layout[1],
                           .c = layout[2],
                           .ranks = sct_world_size(world),
                           .ranks_per_node = 2};
    sct_plan *plan = NULL;
    CHECK(sct_plan_create(&problem, sct_world_rank(world), &o->options, &plan) == SCT_OK);
    return plan;
}

/* How often the bits of this rank's part of C were not those of the first run. */
static int64_t count_changes(sct_world *world, sct_job *job, const sct_matrix *c) {
    double alpha[2] = {0.7, 0}, beta[2] = {0.3, 0};
    uint64_t first = 0;
    int64_t changes = 0;
    for (int run = 0; run < RUNS; run++) {
        uint64_t hash = 1;
        matrix_fill(world, c, (source){3, 0});
        CHECK(sct_world_barrier(world) == SCT_OK);
        CHECK(sct_job_start(job, alpha, beta) == SCT_OK && sct_job_wait(job) == SCT_OK);
        matrix_visit(world, c, hash_element, &hash);
        first = run == 0 ? hash : first;
        changes += hash != first;
    }
    return changes;
}

static int run_ordered(sct_world *world, void *context) {
    ordered *o = context;
    sct_layout *layout[3];
    sct_matrix *matrix[3];
    for (int i = 0; i < 3; i++) {
        layout[i] = layout_of(o->layout[i], SIZE, SIZE, sct_world_size(world));
        CHECK(sct_matrix_create(world, o->type, layout[i], &matrix[i]) == SCT_OK);
        matrix_fill(world, matrix[i], (source){(uint64_t)i, 0});
    }
    sct_plan *plan = make_plan(world, o, layout);
    sct_job *job;
    CHECK(sct_job_create(world, plan, sct_whole(matrix[0]), sct_whole(matrix[1]),
                         sct_whole(matrix[2]), &job) == SCT_OK);
    o->changes[sct_world_rank(world)] = count_changes(world, job, matrix[2]);
    sct_job_destroy(job);
    sct_plan_destroy(plan);
    for (int i = 0; i < 3; i++) {
        sct_matrix_destroy(matrix[i]);
        sct_layout_destroy(layout[i]);
    }
    return 0;
}

int main(void) {
    static const char *const layouts[][3] = {{"col", "row", "2d"},
                                             {"col", "row", "row@1"},
                                             {"2d", "2d", "cyclic:3x5*2"},
                                             {"cuts:5,9x7@3,1,2,0,3,1", "row", "col"}};
    uint64_t seed = check_seed(1);
    for (int which = 0; which < 4; which++)
        for (int stay = SCT_STAY_A; stay <= SCT_STAY_B; stay++) {
            ordered o = {.layout = {layouts[which][0], layouts[which][1], layouts[which][2]},
                         .type = which % 2 ? SCT_CF64 : SCT_F64,
                         .options = {.size = sizeof(sct_options),
                                     .stay = (sct_stay)stay,
                                     .schedule = (sct_schedule)((which + stay) % SCT_EXHAUSTIVE),
                                     .ordered = 1}};
            sct_world_options world = {.size = sizeof world,
                                       .ranks_per_node = 2,
                                       .seed = seed++,
                                       .delay_us = 20,
                                       .deferred = which % 2};
            CHECK(sct_run(4, &world, run_ordered, &o) == SCT_OK);
            for (int rank = 0; rank < 4; rank++)
                CHECK_CASE(o.changes[rank] == 0,
                           "layouts %d, stay %d, rank %d: %" PRId64 " changes", which, stay, rank,
                           o.changes[rank]);
        }
    return check_report("ordered");
}
