/* trio.c - three matrices and a job of them, made and freed. */
#include "whole/support/trio.h"

#include "support/check.h"

void trio_make(sct_world *world, const trio_kind *kind, trio *made) {
    sct_problem problem = {.size = sizeof problem,
                           .type = kind->type,
                           .ranks = sct_world_size(world),
                           .ranks_per_node = kind->ranks_per_node};
    for (int i = 0; i < 3; i++) {
        made->layout[i] = layout_of(kind->layout[i], kind->size, kind->size, problem.ranks);
        CHECK(sct_matrix_create(world, kind->type, made->layout[i], &made->matrix[i]) == SCT_OK);
        matrix_fill(world, made->matrix[i], (source){(uint64_t)i, 0});
    }
    problem.a = made->layout[0];
    problem.b = made->layout[1];
    problem.c = made->layout[2];
    CHECK(sct_plan_create(&problem, sct_world_rank(world), kind->options, &made->plan) == SCT_OK);
    CHECK(sct_job_create(world, made->plan, sct_whole(made->matrix[0]), sct_whole(made->matrix[1]),
                         sct_whole(made->matrix[2]), &made->job) == SCT_OK);
}

void trio_free(trio *made) {
    sct_job_destroy(made->job);
    sct_plan_destroy(made->plan);
    for (int i = 0; i < 3; i++) {
        sct_matrix_destroy(made->matrix[i]);
        sct_layout_destroy(made->layout[i]);
    }
}

void trio_watch(sct_world *world, const trio_kind *kind, void (*watch)(sct_job *job)) {
    trio made;
    trio_make(world, kind, &made);
    watch(made.job);
    trio_free(&made);
}
