/* wrapped.c - products and copies of matrices that the caller has in memory of its own. */
#include "wrapped.h"

#include "team_call.h"

#include <stdbool.h>

enum { MOST_MATRICES = 4, MOST_PARTS = 8 };

typedef struct wrapped_call {
    int count;
    const wrapped *wrapped[MOST_MATRICES];
    const void *alpha, *beta;
    const sct_options *options;
    wrapped_plans *plans;
    const struct spread *spread;  /* NULL: c is not copied */
    sct_view view[MOST_MATRICES]; /* of the matrices while they exist */
} wrapped_call;

static sct_status copy(sct_world *world, wrapped_call *call) {
    (void)world;
    return sct_copy(SCT_N, call->view[0], call->view[1], NULL);
}

/* Without a plan, the other ranks learn from sct_job_create that this one has none. */
static void make_plan(sct_world *world, const wrapped_call *call, const sct_view view[],
                      const int apart[], sct_plan **plan) {
    sct_problem problem = {.size = sizeof problem,
                           .type = call->wrapped[0]->type,
                           .sum_c = call->wrapped[0]->type != call->wrapped[2]->type,
                           .a = call->wrapped[0]->layout,
                           .b = call->wrapped[1]->layout,
                           .c = call->wrapped[2]->layout,
                           .view_a = &view[0].slice,
                           .view_b = &view[1].slice,
                           .view_c = &view[2].slice,
                           .ranks = sct_world_size(world),
                           .ranks_per_node = sct_world_ranks_per_node(world),
                           .ranks_per_node_a = apart[0],
                           .ranks_per_node_b = apart[1],
                           .ranks_per_node_c = apart[2],
                           .gpus = sct_world_gpus(world)};
    sct_plan_create(&problem, sct_world_rank(world), call->options, plan);
}

/* Makes the job of a product, or of a part of one, by the plan that is kept for it. */
static sct_status make_job(sct_world *world, const wrapped_call *call, int part,
                           const sct_view view[], sct_job **job) {
    int apart[3], reach = 0;
    for (int i = 0; i < 3; i++) {
        apart[i] = sct_matrix_ranks_per_node(view[i].matrix);
        reach |= (apart[i] > 1) << i;
    }
    sct_plan **plan = &call->plans->by_reach[part][reach];
    if (!*plan)
        make_plan(world, call, view, apart, plan);
    return sct_job_create(world, *plan, view[0], view[1], view[2], job);
}

static sct_status multiply(sct_world *world, const wrapped_call *call) {
    sct_job *job;
    sct_status status = make_job(world, call, 0, call->view, &job);
    if (status)
        return status;
    status = sct_job_start(job, call->alpha, call->beta);
    if (!status)
        status = sct_job_wait(job);
    sct_job_destroy(job);
    return status;
}

/* A part of a product, and its copy. */
struct part {
    sct_view view[MOST_MATRICES];
    sct_job *job;
    sct_copying *copying;
};

/* The `number`th part of a range that begins at 0. */
static void cut(sct_range *range, int number, int parts) {
    int64_t size = range->hi;
    range->lo = size * number / parts;
    range->hi = size * (number + 1) / parts;
}

static sct_status make_part(sct_world *world, const wrapped_call *call, int number,
                            struct part *made) {
    bool by_rows = call->spread->by_rows;
    for (int i = 0; i < MOST_MATRICES; i++) {
        made->view[i] = call->view[i];
        sct_slice *slice = &made->view[i].slice;
        if (i != (by_rows ? 1 : 0))
            cut(by_rows ? &slice->rows : &slice->cols, number, call->spread->parts);
    }
    return make_job(world, call, number, made->view, &made->job);
}

static sct_status start_copy(struct part *done) {
    return sct_copy_start(SCT_N, done->view[2], done->view[3], NULL, &done->copying);
}

/* The next part is started before the copy of the last one, since what ranks tell each other then
 * would wait behind the data on a slow network. */
static sct_status multiply_and_copy(const wrapped_call *call, struct part *part) {
    sct_status status = SCT_OK;
    for (int i = 0; i < call->spread->parts && !status; i++) {
        status = sct_job_start(part[i].job, call->alpha, call->beta);
        if (status)
            break;
        if (i > 0)
            status = start_copy(&part[i - 1]);
        sct_status multiplied = sct_job_wait(part[i].job);
        status = status ? status : multiplied;
    }
    return status ? status : start_copy(&part[call->spread->parts - 1]);
}

static sct_status multiply_in_parts(sct_world *world, const wrapped_call *call) {
    struct part part[MOST_PARTS] = {{.job = NULL}};
    sct_status status = SCT_OK;
    for (int i = 0; i < call->spread->parts && !status; i++)
        status = make_part(world, call, i, &part[i]);
    if (!status)
        status = multiply_and_copy(call, part);
    for (int i = 0; i < call->spread->parts && part[i].copying; i++) {
        sct_status waited = sct_copy_wait(part[i].copying);
        status = status ? status : waited;
    }
    for (int i = 0; i < call->spread->parts; i++)
        sct_job_destroy(part[i].job);
    return status;
}

static sct_status work_on(sct_world *world, wrapped_call *call) {
    if (call->spread)
        return multiply_in_parts(world, call);
    return call->plans ? multiply(world, call) : copy(world, call);
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
        status = work_on(world, call);
    while (made > 0)
        sct_matrix_destroy(call->view[--made].matrix);
    return status;
}

sct_status team_multiply_wrapped(struct team *team, const void *alpha, const wrapped *a,
                                 const wrapped *b, const void *beta, const wrapped *c,
                                 const sct_options *options, wrapped_plans *plans) {
    wrapped_call call = {.count = 3,
                         .wrapped = {a, b, c},
                         .alpha = alpha,
                         .beta = beta,
                         .options = options,
                         .plans = plans};
    return team_call(team, run, &call);
}

sct_status team_multiply_spread(struct team *team, const void *alpha, const wrapped *a,
                                const wrapped *b, const void *beta, const wrapped *c,
                                const sct_options *options, const struct spread *spread,
                                wrapped_plans *plans) {
    wrapped_call call = {.count = 4,
                         .wrapped = {a, b, c, spread->to},
                         .alpha = alpha,
                         .beta = beta,
                         .options = options,
                         .spread = spread,
                         .plans = plans};
    return team_call(team, run, &call);
}

void wrapped_plans_clear(wrapped_plans *plans) {
    for (int part = 0; part < MOST_PARTS; part++)
        for (int reach = 0; reach < 8; reach++)
            sct_plan_destroy(plans->by_reach[part][reach]);
}

sct_status team_copy_wrapped(struct team *team, const wrapped *from, const wrapped *to) {
    wrapped_call call = {.count = 2, .wrapped = {from, to}};
    return team_call(team, run, &call);
}
