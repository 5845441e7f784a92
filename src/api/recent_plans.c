/* recent_plans.c - finds a plan by the arguments that it was made from. Layouts are compared by
 * address: an entry keeps its layouts, so that no other layout can have their addresses. */
#include "api/recent_plans.h"

#include "api/log_plan.h"
#include "base/log.h"
#include "planner/options.h"

static bool same_view(const sct_slice *x, const sct_slice *y) {
    return x->rows.lo == y->rows.lo && x->rows.hi == y->rows.hi && x->cols.lo == y->cols.lo &&
           x->cols.hi == y->cols.hi;
}

static bool same_problem(const sct_recent_plan *entry, const sct_problem *problem) {
    const sct_problem *p = &entry->problem;
    return p->type == problem->type && p->sum_c == problem->sum_c && p->op_a == problem->op_a &&
           p->op_b == problem->op_b && p->a == problem->a && p->b == problem->b &&
           p->c == problem->c && p->ranks_per_node_a == problem->ranks_per_node_a &&
           p->ranks_per_node_b == problem->ranks_per_node_b &&
           p->ranks_per_node_c == problem->ranks_per_node_c &&
           same_view(&entry->view[SCT_MAT_A], problem->view_a) &&
           same_view(&entry->view[SCT_MAT_B], problem->view_b) &&
           same_view(&entry->view[SCT_MAT_C], problem->view_c);
}

static void clear(sct_recent_plan *entry) {
    sct_plan_destroy((sct_plan *)entry->plan);
    sct_layout_destroy((sct_layout *)entry->work);
    *entry = (sct_recent_plan){.plan = NULL};
}

void sct_recent_plans_clear(sct_recent_plans *recent) {
    for (int i = 0; i < SCT_RECENT_PLANS; i++)
        clear(&recent->entry[i]);
}

static void keep(sct_recent_plans *recent, const sct_problem *problem, const sct_options *options,
                 const sct_plan *plan) {
    sct_recent_plan *entry = &recent->entry[recent->next];
    recent->next = (recent->next + 1) % SCT_RECENT_PLANS;
    clear(entry);
    *entry = (sct_recent_plan){.problem = *problem,
                               .view = {*problem->view_a, *problem->view_b, *problem->view_c},
                               .options = *options,
                               .plan = sct_plan_hold(plan)};
    if (options->work)
        entry->work = sct_layout_hold(options->work);
}

/* A described machine and decisions are the caller's and may change, so that plans made with them
 * are not kept. */
sct_status sct_recent_plans_find(sct_recent_plans *recent, const sct_problem *problem, int rank,
                                 const sct_options *options, const sct_plan **plan) {
    static const sct_options usual = {.size = sizeof usual};
    const sct_options *given = options ? options : &usual;
    bool may_keep = given->size == sizeof usual && !given->machine && !given->decisions;
    for (int i = 0; i < SCT_RECENT_PLANS && may_keep; i++) {
        const sct_recent_plan *entry = &recent->entry[i];
        if (entry->plan && same_problem(entry, problem) &&
            sct_options_equal(&entry->options, given)) {
            *plan = sct_plan_hold(entry->plan);
            sct_log_write(SCT_LOG_DEBUG, rank, "a product runs by the plan of an earlier one");
            return SCT_OK;
        }
    }
    sct_plan *made;
    sct_status status = sct_plan_create(problem, rank, options, &made);
    if (status)
        return status;
    sct_log_plan(made, given->machine);
    if (may_keep)
        keep(recent, problem, given, made);
    *plan = made;
    return SCT_OK;
}
