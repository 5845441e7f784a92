/* operands.c - see operands.h. */
#include "whole/support/operands.h"

#include "support/check.h"

void operands_create(sct_world *world, const operands_spec *spec, operands *made) {
    sct_problem problem = {.size = sizeof problem,
                           .type = spec->type,
                           .ranks = sct_world_size(world),
                           .ranks_per_node = sct_world_ranks_per_node(world),
                           .gpus = sct_world_gpus(world)};
    for (int i = 0; i < 3; i++) {
        made->layout[i] = layout_of(spec->layout[i], spec->size, spec->size, problem.ranks);
        CHECK(sct_matrix_create(world, spec->type, made->layout[i], &made->matrix[i]) == SCT_OK);
        matrix_fill(world, made->matrix[i], (source){(uint64_t)i, 0});
    }
    problem.a = made->layout[0];
    problem.b = made->layout[1];
    problem.c = made->layout[2];
    CHECK(sct_plan_create(&problem, sct_world_rank(world), spec->options, &made->plan) == SCT_OK);
    CHECK(sct_job_create(world, made->plan, sct_whole(made->matrix[0]), sct_whole(made->matrix[1]),
                         sct_whole(made->matrix[2]), &made->job) == SCT_OK);
}

void operands_destroy(operands *made) {
    sct_job_destroy(made->job);
    sct_plan_destroy(made->plan);
    for (int i = 0; i < 3; i++) {
        sct_matrix_destroy(made->matrix[i]);
        sct_layout_destroy(made->layout[i]);
    }
}

void operands_run(sct_world *world, const operands_spec *spec, const sct_actor *actor,
                  void (*inspect)(const sct_job *job, bool settled)) {
    const double alpha = 1, beta = 0;
    operands made;
    operands_create(world, spec, &made);
    CHECK(sct_job_start(made.job, &alpha, &beta) == SCT_OK);
    CHECK(sct_walk(&made.job->workspace.walker, actor, made.job) == SCT_OK);
    if (inspect)
        inspect(made.job, false);
    CHECK(sct_job_settle(made.job) == SCT_OK);
    if (inspect)
        inspect(made.job, true);
    CHECK(sct_job_wait(made.job) == SCT_OK);
    operands_destroy(&made);
}
