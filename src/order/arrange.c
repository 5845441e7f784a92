/* arrange.c - finds the order of steps that options.schedule asks for, and turns it into the
 * groups of the plan. A new order begins here. Direct order has groups like any other order, so
 * that it can be compared with them. */
#include "base/checked.h"
#include "base/status.h"
#include "order/order.h"
#include "plan/constants.h"

#include <math.h>
#include <stdlib.h>

/* ---- Direct order ---- */

typedef struct follower {
    const sct_graph *graph;
    sct_step_order *order;
    bool *fetched; /* by slice: possibly in this group */
    int64_t next;  /* all steps before it have their slices in place or fetched */
} follower;

/* The first slice that a step lacks; -1: none. */
static int64_t lacking(const follower *f, int64_t step) {
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++) {
        int64_t slice = f->graph->node[step].slice[matrix];
        if (!f->fetched[slice] && !f->graph->slice[slice].in_place)
            return slice;
    }
    return -1;
}

/* Fetches up to `most` slices for steps before `end`. */
static void fetch(follower *f, int most, int64_t end) {
    while (f->next < end) {
        int64_t slice = lacking(f, f->next);
        if (slice < 0) {
            f->next++;
            continue;
        }
        if (most-- == 0)
            return;
        f->fetched[slice] = true;
        sct_step_order_add_fetch(f->order, slice);
    }
}

sct_status sct_step_order_direct(const sct_graph *graph, sct_limits limits, sct_step_order *order) {
    follower f = {.graph = graph,
                  .order = order,
                  .fetched = calloc((size_t)graph->slices + 1, sizeof *f.fetched)};
    if (!f.fetched)
        return sct_fail(SCT_NO_MEMORY, "no memory to order %lld steps", (long long)graph->steps);
    for (int64_t step = 0; step < graph->steps; step++) {
        int64_t end = sct_min(step + 1 + limits.ahead, graph->steps);
        fetch(&f, 0, step + 1); /* fetches nothing, but passes steps that lack nothing */
        while (f.next <= step) {
            fetch(&f, limits.transfers, end);
            sct_step_order_end_group(order);
        }
        sct_step_order_add_step(order, step);
        fetch(&f, limits.transfers, end);
        sct_step_order_end_group(order);
    }
    free(f.fetched);
    return SCT_OK;
}

/* ---- The order that is asked for ---- */

static const sct_fill_policy greedy = {1, false};

/* Makes an order by a policy, or direct order without one, and keeps it if it is cheaper. */
static sct_status try_policy(const sct_graph *graph, sct_limits limits,
                             const sct_fill_policy *policy, sct_step_order *order,
                             double *seconds) {
    sct_step_order other;
    double taken;
    sct_status status = sct_step_order_create(graph, &other);
    if (status)
        return status;
    status = policy ? sct_step_order_fill(graph, limits, *policy, &other)
                    : sct_step_order_direct(graph, limits, &other);
    if (!status)
        status = sct_step_order_seconds(graph, &other, &taken);
    if (!status && (taken < *seconds || order->steps == 0)) {
        sct_step_order worse = *order;
        *order = other;
        other = worse;
        *seconds = taken;
    }
    sct_step_order_clear(&other);
    return status;
}

/* True if direct order has nothing between the steps of a run. */
static bool keeps_runs_together(const sct_plan *plan, const sct_graph *graph) {
    bool together = true;
    for (int64_t i = 0; i < graph->slices; i++) {
        const sct_graph_slice *slice = &graph->slice[i];
        together &= slice->matrix != SCT_MAT_C || slice->in_place || slice->users <= 1;
    }
    return together || plan->decisions.nest[SCT_DIMS - 1] == SCT_DIM_K;
}

static sct_status refuse_exhaustive(const sct_plan *plan, int64_t count, const char *what,
                                    int most) {
    return sct_fail(SCT_BAD_ARGUMENT,
                    "schedule: rank %d has %lld %s, but an exhaustive search takes at most %d; the "
                    "order by cost takes any number",
                    plan->rank, (long long)count, what, most);
}

/* Fills an empty order: for the cost order by several policies, of which it keeps the cheapest. */
static sct_status find_order(const sct_plan *plan, const sct_graph *graph, sct_step_order *order) {
    static const sct_fill_policy wide = {SCT_ORDER_WIDTH, false}, frugal = {1, true},
                                 both = {SCT_ORDER_WIDTH, true};
    static const sct_fill_policy *const policies[] = {&greedy, &wide, &frugal, &both, NULL};
    const sct_options *options = &plan->options;
    sct_limits limits = {options->products_in_flight, options->transfers_in_group,
                         options->prefetch};
    if (options->schedule == SCT_GREEDY)
        return sct_step_order_fill(graph, limits, greedy, order);
    double seconds = INFINITY;
    size_t count = sizeof policies / sizeof *policies - !keeps_runs_together(plan, graph);
    sct_status status = SCT_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = try_policy(graph, limits, policies[i], order, &seconds);
    if (status || options->schedule == SCT_COST)
        return status;
    if (order->slices > SCT_MOST_FETCHED)
        return refuse_exhaustive(plan, order->slices, "slices to fetch", SCT_MOST_FETCHED);
    return sct_step_order_search(graph, limits, seconds, order);
}

/* Lists the steps in order. done: scratch: for each slice of C, how many of its steps are listed.
 */
static void list_steps(const sct_graph *graph, const sct_step_order *order, int64_t *done,
                       sct_group_list *groups) {
    for (int64_t t = 0; t < order->steps; t++) {
        int64_t step = order->step[t], c = graph->node[step].slice[SCT_MAT_C];
        const sct_graph_slice *into = &graph->slice[c];
        bool fresh = done[c]++ == 0;
        groups->ordered[t] = (sct_ordered_step){step, .fresh = fresh,
                                                .flush = !into->in_place && done[c] == into->users};
    }
}

/* Lists the fetches. first: scratch: for each slice, the position of the first step that needs it.
 */
static void list_prefetches(const sct_graph *graph, const sct_step_order *order, int64_t *first,
                            sct_group_list *groups) {
    for (int64_t t = order->steps - 1; t >= 0; t--)
        for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
            first[graph->node[order->step[t]].slice[matrix]] = t;
    for (int64_t i = 0; i < order->slices; i++) {
        int64_t slice = order->slice[i];
        groups->prefetch[i] = (sct_prefetch){first[slice], graph->slice[slice].matrix};
    }
}

static void list_groups(const sct_step_order *order, sct_group_list *groups) {
    sct_bounds lo = {0, 0};
    for (int64_t g = 0; g < order->groups; g++) {
        sct_bounds hi = order->group[g];
        groups->group[g] = (sct_step_group){.prepare_until = lo.steps,
                                            .prefetches = {lo.slices, hi.slices},
                                            .multiply = {lo.steps, hi.steps}};
        lo = hi;
    }
    groups->count = order->groups;
}

static sct_status list_order(const sct_graph *graph, const sct_step_order *order,
                             sct_group_list *groups) {
    int64_t *scratch = calloc((size_t)graph->slices + 1, sizeof *scratch); /* by slice */
    groups->group = calloc((size_t)order->groups + 1, sizeof *groups->group);
    groups->ordered = calloc((size_t)order->steps + 1, sizeof *groups->ordered);
    groups->prefetch = calloc((size_t)order->slices + 1, sizeof *groups->prefetch);
    if (!scratch || !groups->group || !groups->ordered || !groups->prefetch) {
        free(scratch);
        return sct_fail(SCT_NO_MEMORY, "no memory for an order of %lld steps",
                        (long long)order->steps);
    }
    list_steps(graph, order, scratch, groups);
    list_prefetches(graph, order, scratch, groups);
    list_groups(order, groups);
    free(scratch);
    return SCT_OK;
}

static sct_status arrange(sct_plan *plan, const sct_machine *machine) {
    sct_graph graph;
    sct_step_order order;
    sct_status status = sct_graph_create(plan, machine, &graph);
    if (status)
        return status;
    status = sct_step_order_create(&graph, &order);
    if (!status) {
        status = find_order(plan, &graph, &order);
        if (!status)
            status = list_order(&graph, &order, &plan->groups);
        sct_step_order_clear(&order);
    }
    sct_graph_clear(&graph);
    return status;
}

sct_status sct_plan_arrange(sct_plan *plan) {
    const sct_options *options = &plan->options;
    if (options->schedule == SCT_DIRECT)
        return SCT_OK;
    if (options->schedule == SCT_EXHAUSTIVE && plan->steps > SCT_MOST_STEPS)
        return refuse_exhaustive(plan, plan->steps, "steps", SCT_MOST_STEPS);
    const sct_machine *machine = options->machine;
    sct_type type = plan->product.type[SCT_MAT_A];
    if (options->schedule != SCT_GREEDY && !(machine->peak[type] > 0))
        return sct_fail(SCT_BAD_ARGUMENT, "machine \"%s\": its peak for %s is not known",
                        machine->name, sct_type_name(type));
    return arrange(plan, machine);
}
