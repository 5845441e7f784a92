/* wrapped.c - products and copies of matrices that the caller has in memory of its own. */
#include "wrapped.h"

#include "team_call.h"

enum { MOST_MATRICES = 3 };

typedef struct wrapped_call {
    int count;
    const wrapped *wrapped[MOST_MATRICES];
    const void *alpha, *beta;
    const sct_options *options;
    wrapped_plans *plans;
    sct_view view[MOST_MATRICES]; /* of the matrices while they exist */
} wrapped_call;

static sct_status copy(sct_world *world, wrapped_call *call) {
    (void)world;
    return sct_copy(call->wrapped[0]->op, call->view[0], call->view[1], NULL);
}

/* Without a plan, the other ranks learn from sct_job_create that this one has none. */
static void make_plan(sct_world *world, const wrapped_call *call, const int apart[],
                      sct_plan **plan) {
    sct_problem problem = {.size = sizeof problem,
                           .type = call->wrapped[0]->type,
                           .sum_c = call->wrapped[0]->type != call->wrapped[2]->type,
                           .op_a = call->wrapped[0]->op,
                           .op_b = call->wrapped[1]->op,
                           .a = call->wrapped[0]->layout,
                           .b = call->wrapped[1]->layout,
                           .c = call->wrapped[2]->layout,
                           .ranks = sct_world_size(world),
                           .ranks_per_node = sct_world_ranks_per_node(world),
                           .ranks_per_node_a = apart[0],
                           .ranks_per_node_b = apart[1],
                           .ranks_per_node_c = apart[2]};
    sct_plan_create(&problem, sct_world_rank(world), call->options, plan);
}

static sct_status multiply(sct_world *world, wrapped_call *call) {
    int apart[MOST_MATRICES], reach = 0;
    for (int i = 0; i < MOST_MATRICES; i++) {
        apart[i] = sct_matrix_ranks_per_node(call->view[i].matrix);
        reach |= (apart[i] > 1) << i;
    }
    sct_plan **plan = &call->plans->by_reach[reach];
    if (!*plan)
        make_plan(world, call, apart, plan);
    sct_job *job;
    sct_status status =
        sct_job_create(world, *plan, call->view[0], call->view[1], call->view[2], &job);
    if (status)
        return status;
    status = sct_job_start(job, call->alpha, call->beta);
    if (!status)
        status = sct_job_wait(job);
    sct_job_destroy(job);
    return status;
}

static sct_status run(sct_world *world, int member, void *arg) {
    wrapped_call *call = arg;
    sct_status status = SCT_OK;
    int made = 0;
    (void)member;
    for (; made < call->count; made++) {
        const wrapped *w = call->wrapped[made];
        sct_matrix *matrix;
        status = sct_matrix_wrap(world, w->type, w->layout, w->data, w->ld, &matrix);
        if (status)
            break;
        call->view[made] = sct_whole(matrix);
    }
    if (!status)
        status = call->plans ? multiply(world, call) : copy(world, call);
    while (made > 0)
        sct_matrix_destroy(call->view[--made].matrix);
    return status;
}

sct_status team_multiply_wrapped(team *team, const void *alpha, const wrapped *a, const wrapped *b,
                                 const void *beta, const wrapped *c, const sct_options *options,
                                 wrapped_plans *plans) {
    wrapped_call call = {.count = 3,
                         .wrapped = {a, b, c},
                         .alpha = alpha,
                         .beta = beta,
                         .options = options,
                         .plans = plans};
    return team_call(team, run, &call);
}

void wrapped_plans_clear(wrapped_plans *plans) {
    for (size_t i = 0; i < sizeof plans->by_reach / sizeof *plans->by_reach; i++)
        sct_plan_destroy(plans->by_reach[i]);
}

sct_status team_copy_wrapped(team *team, const wrapped *from, const wrapped *to) {
    wrapped_call call = {.count = 2, .wrapped = {from, to}};
    return team_call(team, run, &call);
}
