/* wrapped.c - products and copies of matrices that the caller has in memory of its own. */
#include "wrapped.h"

#include "team_call.h"

enum { MOST_MATRICES = 3 };

typedef struct wrapped_call {
    int count;
    const wrapped *wrapped[MOST_MATRICES];
    const void *alpha, *beta;
    const sct_options *options;
    sct_plan **plan;
    sct_view view[MOST_MATRICES]; /* of the matrices while they exist */
} wrapped_call;

static sct_status copy(sct_world *world, wrapped_call *call) {
    (void)world;
    return sct_copy(call->wrapped[0]->op, call->view[0], call->view[1], NULL);
}

/* Without a plan, the other ranks learn from sct_job_create that this one has none. */
static void make_plan(sct_world *world, wrapped_call *call) {
    int apart[MOST_MATRICES];
    for (int i = 0; i < call->count; i++)
        apart[i] = sct_matrix_ranks_per_node(call->view[i].matrix);
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
    sct_plan_create(&problem, sct_world_rank(world), call->options, call->plan);
}

static sct_status multiply(sct_world *world, wrapped_call *call) {
    if (!*call->plan)
        make_plan(world, call);
    sct_job *job;
    sct_status status =
        sct_job_create(world, *call->plan, call->view[0], call->view[1], call->view[2], &job);
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
        status = call->plan ? multiply(world, call) : copy(world, call);
    while (made > 0)
        sct_matrix_destroy(call->view[--made].matrix);
    return status;
}

sct_status team_multiply_wrapped(team *team, const void *alpha, const wrapped *a, const wrapped *b,
                                 const void *beta, const wrapped *c, const sct_options *options,
                                 sct_plan **plan) {
    wrapped_call call = {.count = 3,
                         .wrapped = {a, b, c},
                         .alpha = alpha,
                         .beta = beta,
                         .options = options,
                         .plan = plan};
    return team_call(team, run, &call);
}

sct_status team_copy_wrapped(team *team, const wrapped *from, const wrapped *to) {
    wrapped_call call = {.count = 2, .wrapped = {from, to}};
    return team_call(team, run, &call);
}
