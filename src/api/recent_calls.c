/* recent_calls.c - keeps calls in a list, the latest first, and drops those at its end. */
#include "api/recent_calls.h"
#include "api/copying.h"
#include "api/log_plan.h"

#include "base/log.h"
#include "base/status.h"
#include "planner/options.h"

#include <assert.h>
#include <stdlib.h>

/* ---- What a call is ---- */

sct_recent_key sct_recent_product(sct_op op_a, sct_op op_b, const sct_view view[SCT_MATS],
                                  const sct_options *options) {
    sct_recent_key key = {.op = {op_a, op_b},
                          .view = {view[SCT_MAT_A], view[SCT_MAT_B], view[SCT_MAT_C]},
                          .options = {.size = sizeof key.options}};
    if (options)
        key.once = options->size != sizeof *options || options->machine || options->decisions;
    if (options && !key.once)
        key.options = *options;
    return key;
}

sct_recent_key sct_recent_copy(sct_op op, sct_view from, sct_view to, size_t workspace) {
    return (sct_recent_key){.copies = true,
                            .op = {op},
                            .view = {from, to},
                            .options = {.size = sizeof(sct_options), .workspace = workspace}};
}

/* Whether products run the same candidate of a trial, or none (trials.h). */
static bool same_work(const sct_recent_key *x, const sct_recent_key *y) {
    return x->turn.trial == y->turn.trial && x->turn.candidate == y->turn.candidate;
}

static bool same_key(const sct_recent_key *x, const sct_recent_key *y) {
    for (int i = 0; i < SCT_MATS; i++)
        if (x->view[i].matrix != y->view[i].matrix ||
            !sct_slice_equal(&x->view[i].slice, &y->view[i].slice))
            return false;
    return x->copies == y->copies && x->op[0] == y->op[0] && x->op[1] == y->op[1] &&
           same_work(x, y) && sct_options_equal(&x->options, &y->options);
}

static bool is_bound(const sct_recent_call *call) {
    return call->job || call->copying;
}

sct_recent_call *sct_recent_new(const sct_recent_key *key) {
    sct_recent_call *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->key = *key;
    if (key->options.work)
        made->work = sct_layout_hold(key->options.work);
    return made;
}

static void unbind(sct_recent_call *call) {
    sct_job_destroy(call->job);
    call->job = NULL;
    sct_copying_destroy(call->copying);
    call->copying = NULL;
    call->bytes = 0;
}

void sct_recent_destroy(sct_recent_call *call) {
    if (!call)
        return;
    unbind(call);
    sct_plan_destroy((sct_plan *)call->plan);
    sct_layout_destroy((sct_layout *)call->work);
    sct_request_end(&call->request);
    free(call);
}

/* ---- Plans ---- */

static bool same_problem(const sct_problem *x, const sct_problem *y) {
    return x->type == y->type && x->sum_c == y->sum_c && x->op_a == y->op_a && x->op_b == y->op_b &&
           x->ranks_per_node_a == y->ranks_per_node_a &&
           x->ranks_per_node_b == y->ranks_per_node_b &&
           x->ranks_per_node_c == y->ranks_per_node_c && sct_slice_equal(x->view_a, y->view_a) &&
           sct_slice_equal(x->view_b, y->view_b) && sct_slice_equal(x->view_c, y->view_c) &&
           sct_layout_equal(x->a, y->a) && sct_layout_equal(x->b, y->b) &&
           sct_layout_equal(x->c, y->c);
}

static const sct_plan *find_plan(const sct_recent_calls *recent, const sct_recent_key *key,
                                 const sct_problem *problem) {
    for (const sct_recent_call *kept = recent->latest; kept && !key->once; kept = kept->next)
        if (kept->plan && same_problem(&kept->problem, problem) && same_work(&kept->key, key) &&
            sct_options_equal(&kept->key.options, &key->options))
            return kept->plan;
    return NULL;
}

/* The problem of a kept plan refers to what is kept with it. */
static void keep_problem(sct_recent_call *call, const sct_problem *problem) {
    const sct_product *product = &call->plan->product;
    call->problem = *problem;
    call->problem.a = product->layout[SCT_MAT_A];
    call->problem.b = product->layout[SCT_MAT_B];
    call->problem.c = product->layout[SCT_MAT_C];
    call->problem.view_a = &call->key.view[SCT_MAT_A].slice;
    call->problem.view_b = &call->key.view[SCT_MAT_B].slice;
    call->problem.view_c = &call->key.view[SCT_MAT_C].slice;
}

sct_status sct_recent_plan(const sct_recent_calls *recent, sct_recent_call *call,
                           const sct_problem *problem, int rank, const sct_options *options) {
    const sct_plan *known = find_plan(recent, &call->key, problem);
    sct_plan *made;
    if (known) {
        call->plan = sct_plan_hold(known);
        sct_log_write(SCT_LOG_DEBUG, rank, "a product runs by the plan of an earlier one");
    } else {
        sct_status status = sct_plan_create(problem, rank, options, &made);
        if (status)
            return status;
        call->plan = made;
        sct_log_plan(made, options ? options->machine : NULL);
        sct_log_unlimited(problem, options, made);
    }
    keep_problem(call, problem);
    return SCT_OK;
}

/* ---- The list ---- */

static sct_recent_call *take_out(sct_recent_calls *recent, sct_recent_call **link) {
    sct_recent_call *call = *link;
    assert(call);
    *link = call->next;
    call->next = NULL;
    recent->count--;
    recent->bytes -= call->bytes;
    return call;
}

sct_recent_call *sct_recent_take(sct_recent_calls *recent, const sct_recent_key *key) {
    for (sct_recent_call **link = &recent->latest; *link && !key->once; link = &(*link)->next)
        if (is_bound(*link) && same_key(&(*link)->key, key))
            return take_out(recent, link);
    return NULL;
}

/* Whether a call that is not bound serves nothing: it has no plan, or another one has it, too. */
static bool is_spare(const sct_recent_calls *recent, const sct_recent_call *call) {
    const sct_recent_call *other = recent->latest;
    while (call->plan && other && (other == call || other->plan != call->plan))
        other = other->next;
    return !call->plan || other;
}

/* Unbinds a call. Whether that was all it had, so that the link is now to the next one. */
static bool release(sct_recent_calls *recent, sct_recent_call **link) {
    recent->bytes -= (*link)->bytes;
    unbind(*link);
    bool spare = is_spare(recent, *link);
    if (spare)
        sct_recent_destroy(take_out(recent, link));
    return spare;
}

/* Gives up the workspace of a call. A job can get another; a copy has nothing else. */
static void shed(sct_recent_calls *recent, sct_recent_call **link) {
    sct_recent_call *call = *link;
    assert(call);
    if (!call->job) {
        release(recent, link);
        return;
    }
    sct_job_shed(call->job);
    recent->bytes -= call->bytes;
    call->bytes = 0;
}

/* The link to the last call, or to the last one with workspace. */
static sct_recent_call **last_of(sct_recent_calls *recent, bool with_workspace) {
    sct_recent_call **last = &recent->latest;
    for (sct_recent_call **link = last; *link; link = &(*link)->next)
        if (!with_workspace || (*link)->bytes > 0)
            last = link;
    return last;
}

/* Drops the call that has nothing but a plan which another one has. */
static void drop_spare(sct_recent_calls *recent, const sct_recent_call *other) {
    for (sct_recent_call **link = &recent->latest; *link; link = &(*link)->next)
        if (!is_bound(*link) && *link != other && (*link)->plan == other->plan) {
            sct_recent_destroy(take_out(recent, link));
            return;
        }
}

void sct_recent_keep(sct_recent_calls *recent, sct_recent_call *call) {
    if (call->key.once || (!is_bound(call) && !call->plan)) {
        sct_recent_destroy(call);
        return;
    }
    if (call->job)
        sct_job_rest(call->job);
    if (call->copying)
        sct_copying_rest(call->copying);
    call->next = recent->latest;
    recent->latest = call;
    recent->count++;
    recent->bytes += call->bytes;
    drop_spare(recent, call);
    if (call->bytes > SCT_RECENT_BYTES)
        shed(recent, &recent->latest);
    while (recent->bytes > SCT_RECENT_BYTES)
        shed(recent, last_of(recent, true));
    while (recent->count > recent->most)
        sct_recent_destroy(take_out(recent, last_of(recent, false)));
}

void sct_recent_settle(sct_recent_calls *recent, const sct_trial *trial, int candidate) {
    sct_recent_call **link = &recent->latest;
    while (*link) {
        sct_turn *turn = &(*link)->key.turn;
        if (turn->trial == trial && turn->candidate != candidate) {
            sct_recent_destroy(take_out(recent, link));
            continue;
        }
        if (turn->trial == trial)
            *turn = (sct_turn){.trial = NULL};
        link = &(*link)->next;
    }
}

static bool is_bound_to(const sct_recent_call *call, const sct_matrix *matrix) {
    bool found = false;
    for (int i = 0; i < SCT_MATS; i++)
        found |= call->key.view[i].matrix == matrix;
    return found && is_bound(call);
}

void sct_recent_forget(sct_recent_calls *recent, const sct_matrix *matrix) {
    sct_recent_call **link = &recent->latest;
    while (*link)
        if (!is_bound_to(*link, matrix) || !release(recent, link))
            link = &(*link)->next;
}

void sct_recent_clear(sct_recent_calls *recent) {
    while (recent->latest)
        sct_recent_destroy(take_out(recent, &recent->latest));
}
