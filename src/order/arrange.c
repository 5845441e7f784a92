/* arrange.c - makes the agenda of a plan that is sliced. */
#include "order/order.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>

/* As many steps as the order by cost looks at before it chooses one. */
enum { WIDTH = 16 };
static const sct_manner greedy = {1, false};

static sct_limits limits_of(const sct_plan *plan) {
    return (sct_limits){plan->options.products_in_flight, plan->options.transfers_in_group,
                        plan->options.prefetch};
}

/* Makes an empty draft an order: direct order, if there is no manner. */
static sct_status make(const sct_graph *graph, sct_limits limits, const sct_manner *manner,
                       sct_draft *draft) {
    return manner ? sct_draft_fill(graph, limits, *manner, draft)
                  : sct_draft_follow(graph, limits, draft);
}

/* Makes another draft, and keeps the one that takes less. */
static sct_status make_again(const sct_graph *graph, sct_limits limits, const sct_manner *manner,
                             sct_draft *draft, double *seconds) {
    sct_draft other;
    double taken;
    sct_status status = sct_draft_create(graph, &other);
    if (status)
        return status;
    status = make(graph, limits, manner, &other);
    if (!status)
        status = sct_draft_seconds(graph, &other, &taken);
    if (!status && taken < *seconds) {
        sct_draft worse = *draft;
        *draft = other;
        other = worse;
        *seconds = taken;
    }
    sct_draft_clear(&other);
    return status;
}

/* Fills an empty draft in several manners, and keeps what takes the least. */
static sct_status fill_best(const sct_graph *graph, sct_limits limits, sct_draft *draft,
                            double *seconds) {
    static const sct_manner wide = {WIDTH, false}, frugal = {1, true}, both = {WIDTH, true};
    static const sct_manner *const others[] = {&wide, &frugal, &both, NULL};
    sct_status status = make(graph, limits, &greedy, draft);
    if (!status)
        status = sct_draft_seconds(graph, draft, seconds);
    for (size_t i = 0; i < sizeof others / sizeof *others && !status; i++)
        status = make_again(graph, limits, others[i], draft, seconds);
    return status;
}

static sct_status order(const sct_plan *plan, const sct_graph *graph, sct_draft *draft) {
    sct_limits limits = limits_of(plan);
    double seconds;
    if (plan->options.schedule == SCT_GREEDY)
        return make(graph, limits, &greedy, draft);
    sct_status status = fill_best(graph, limits, draft, &seconds);
    if (status || plan->options.schedule == SCT_COST)
        return status;
    if (draft->data > SCT_MOST_FETCHED)
        return sct_fail(
            SCT_BAD_ARGUMENT,
            "schedule: rank %d fetches %lld slices, an exhaustive search takes at most %d",
            plan->rank, (long long)draft->data, SCT_MOST_FETCHED);
    return sct_draft_search(graph, limits, seconds, draft);
}

/* The steps by position; done: how many of those into each datum of C come before. */
static void take_turns(const sct_graph *graph, const sct_draft *draft, int64_t *done,
                       sct_agenda *agenda) {
    for (int64_t t = 0; t < draft->steps; t++) {
        int64_t step = draft->step[t], c = graph->node[step].datum[SCT_MAT_C];
        const sct_datum *into = &graph->datum[c];
        bool fresh = done[c]++ == 0;
        agenda->turn[t] =
            (sct_turn){step, .fresh = fresh, .flush = !into->in_place && done[c] == into->users};
    }
}

/* first: at which position each datum is needed first. */
static void take_errands(const sct_graph *graph, const sct_draft *draft, int64_t *first,
                         sct_agenda *agenda) {
    for (int64_t t = draft->steps - 1; t >= 0; t--)
        for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
            first[graph->node[draft->step[t]].datum[matrix]] = t;
    for (int64_t i = 0; i < draft->data; i++) {
        int64_t datum = draft->datum[i];
        agenda->errand[i] = (sct_errand){first[datum], graph->datum[datum].matrix};
    }
}

static void take_groups(const sct_draft *draft, sct_agenda *agenda) {
    sct_bounds lo = {0, 0};
    for (int64_t g = 0; g < draft->groups; g++) {
        sct_bounds hi = draft->group[g];
        agenda->group[g] = (sct_group){
            .prepare = lo.steps, .errands = {lo.data, hi.data}, .multiply = {lo.steps, hi.steps}};
        lo = hi;
    }
    agenda->groups = draft->groups;
}

static sct_status write_down(const sct_graph *graph, const sct_draft *draft, sct_agenda *agenda) {
    int64_t *scratch = calloc((size_t)graph->data + 1, sizeof *scratch); /* by datum */
    agenda->group = calloc((size_t)draft->groups + 1, sizeof *agenda->group);
    agenda->turn = calloc((size_t)draft->steps + 1, sizeof *agenda->turn);
    agenda->errand = calloc((size_t)draft->data + 1, sizeof *agenda->errand);
    if (!scratch || !agenda->group || !agenda->turn || !agenda->errand) {
        free(scratch);
        return sct_fail(SCT_NO_MEMORY, "no memory for an order of %lld steps",
                        (long long)draft->steps);
    }
    take_turns(graph, draft, scratch, agenda);
    take_errands(graph, draft, scratch, agenda);
    take_groups(draft, agenda);
    free(scratch);
    return SCT_OK;
}

static sct_status arrange(sct_plan *plan, const sct_machine *machine) {
    sct_graph graph;
    sct_draft draft;
    sct_status status = sct_graph_create(plan, machine, &graph);
    if (status)
        return status;
    status = sct_draft_create(&graph, &draft);
    if (!status) {
        status = order(plan, &graph, &draft);
        if (!status)
            status = write_down(&graph, &draft, &plan->agenda);
        sct_draft_clear(&draft);
    }
    sct_graph_clear(&graph);
    return status;
}

sct_status sct_plan_arrange(sct_plan *plan) {
    const sct_options *options = &plan->options;
    if (options->schedule == SCT_DIRECT)
        return SCT_OK;
    if (options->schedule == SCT_EXHAUSTIVE && plan->steps > SCT_MOST_STEPS)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "schedule: rank %d has %lld steps, an exhaustive search takes at most %d",
                        plan->rank, (long long)plan->steps, SCT_MOST_STEPS);
    const sct_machine *machine = options->machine;
    struct sct_machine plain;
    if (!machine) {
        int per_node = plan->product.ranks;
        for (int matrix = 0; matrix < SCT_MATS; matrix++)
            per_node = (int)sct_min(per_node, plan->product.ranks_per_node[matrix]);
        plain = sct_machine_plain(per_node);
        machine = &plain;
    }
    sct_type type = plan->product.type[SCT_MAT_A];
    if (options->schedule != SCT_GREEDY && !(machine->peak[type] > 0))
        return sct_fail(SCT_BAD_ARGUMENT, "machine \"%s\": how fast it multiplies %s is not known",
                        machine->name, sct_type_name(type));
    return arrange(plan, machine);
}
