/* plan.c - makes plans and answers questions about them. */
#include "plan/operand.h"

#include "base/checked.h"
#include "base/status.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_PREFETCH = 2, DEFAULT_PRODUCTS = 2, MOST_IN_FLIGHT = 1024 };
/* By default as many accumulations are under way as there are ranks, within these: so that the next
 * leaves while one waits for an owner who is busy. */
enum { LEAST_ACCUMULATES = 3, MOST_ACCUMULATES = 4 };

static sct_status check_option(const char *name, int value, int least, int most) {
    if (value >= least && value <= most)
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT, "%s: %d is not between %d and %d", name, value, least, most);
}

/* What is asked of one order and belongs to another would do nothing. */
static sct_status check_order(const sct_options *options) {
    bool direct = options->schedule == SCT_DIRECT;
    if (direct && options->transfers_in_group != 0)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "transfers in a group: %d, and direct order has no groups of transfers",
                        options->transfers_in_group);
    if (!direct && options->prefetch != 0)
        return sct_fail(SCT_BAD_ARGUMENT, "prefetch: %d, which is of direct order alone",
                        options->prefetch);
    return SCT_OK;
}

sct_status sct_options_resolve(const sct_options *options, sct_options *resolved) {
    *resolved = (sct_options){.size = sizeof *resolved};
    sct_status status = SCT_OK;
    if (options)
        status = sct_check_size("options", options->size, sizeof *resolved, sizeof *resolved);
    if (status)
        return status;
    if (options)
        memcpy(resolved, options, options->size);
    status = check_option("stay", (int)resolved->stay, 0, SCT_STAY_C);
    if (!status)
        status = check_option("slicing", (int)resolved->slicing, 0, SCT_SLICE_TILE);
    if (!status)
        status = check_option("fetch", (int)resolved->fetch, 0, SCT_FETCH_TILE);
    if (!status)
        status = check_option("schedule", (int)resolved->schedule, 0, SCT_EXHAUSTIVE);
    if (!status)
        status = check_option("start", (int)resolved->start, 0, SCT_START_ALIKE);
    if (!status)
        status = check_option("result", (int)resolved->result, 0, SCT_RESULT_PARTIAL);
    if (!status)
        status = check_option("prefetch", resolved->prefetch, INT_MIN, MOST_IN_FLIGHT);
    if (!status)
        status =
            check_option("products in flight", resolved->products_in_flight, 0, MOST_IN_FLIGHT);
    if (!status)
        status = check_option("accumulates in flight", resolved->accumulates_in_flight, 0,
                              MOST_IN_FLIGHT);
    if (!status)
        status =
            check_option("transfers in a group", resolved->transfers_in_group, 0, MOST_IN_FLIGHT);
    if (!status)
        status = check_order(resolved);
    if (resolved->fetch == SCT_FETCH_TILE)
        resolved->slicing = SCT_SLICE_TILE;
    return status;
}

/* Copies within reach are made when they are asked for: to ask early would only take more room, and
 * a slot that is used again is still in the cache. */
static void fill_depths(const sct_product *product, sct_options *options) {
    bool reads =
        sct_product_all_near(product, SCT_MAT_A) && sct_product_all_near(product, SCT_MAT_B);
    bool adds = sct_product_all_near(product, SCT_MAT_C);
    if (options->prefetch <= 0)
        options->prefetch = options->prefetch < 0 || reads ? 0 : DEFAULT_PREFETCH;
    if (options->products_in_flight == 0)
        options->products_in_flight = reads && adds ? 1 : DEFAULT_PRODUCTS;
    if (options->accumulates_in_flight == 0)
        options->accumulates_in_flight =
            adds ? 1 : (int)sct_max(LEAST_ACCUMULATES, sct_min(product->ranks, MOST_ACCUMULATES));
    if (options->transfers_in_group == 0)
        options->transfers_in_group = 2 * options->products_in_flight;
}

/* A C that is rounded once needs its sums apart, and all of them. */
static sct_status provide_sums(sct_plan *plan) {
    const sct_product *product = &plan->product;
    if (!sct_product_rounds(product))
        return SCT_OK;
    if (plan->options.result == SCT_RESULT_PARTIAL)
        return sct_fail(SCT_BAD_ARGUMENT, "result: C is %s, which is no type for parts of sums",
                        sct_type_name(product->type_c));
    return sct_layout_bytes(product->layout[SCT_MAT_C], product->type[SCT_MAT_C], plan->rank,
                            &plan->sums_bytes);
}

static sct_status prepare(const sct_problem *problem, int rank, const sct_options *options,
                          sct_plan *plan) {
    sct_status status = sct_options_resolve(options, &plan->options);
    if (!status && (rank < 0 || (rank >= problem->ranks && problem->ranks > 0)))
        status =
            sct_fail(SCT_BAD_ARGUMENT, "rank %d is not between 0 and %d", rank, problem->ranks - 1);
    if (!status)
        status = sct_product_create(problem, &plan->product);
    bool free_to_look = plan->options.prefetch == 0 && plan->options.schedule == SCT_DIRECT;
    if (!status)
        fill_depths(&plan->product, &plan->options);
    plan->fetches_ahead = free_to_look ? plan->options.prefetch : 0;
    return status;
}

/* A plan without steps. */
static sct_status begin(const sct_problem *problem, int rank, const sct_options *options,
                        sct_plan **plan) {
    sct_problem known;
    sct_status status = sct_problem_resolve(problem, &known);
    if (status)
        return status;
    sct_plan *made = calloc(1, sizeof *made);
    if (!made)
        return sct_fail(SCT_NO_MEMORY, "no memory for a plan");
    made->holders = 1;
    made->rank = rank;
    status = prepare(&known, rank, options, made);
    if (status) {
        free(made);
        return status;
    }
    status = provide_sums(made);
    made->stay = made->options.stay == SCT_STAY_AUTO
                     ? sct_plan_choose(&made->product, made->options.machine)
                     : SCT_MAT_A + (int)made->options.stay - 1;
    if (status)
        sct_plan_destroy(made);
    else
        *plan = made;
    return status;
}

sct_status sct_plan_create(const sct_problem *problem, int rank, const sct_options *options,
                           sct_plan **plan) {
    sct_plan *made = NULL;
    sct_status status = sct_check_given("the place for the plan", plan);
    if (!status)
        status = begin(problem, rank, options, &made);
    if (status)
        return status;
    status = sct_plan_fit(made);
    made->options.machine = NULL; /* which is the caller's */
    if (status)
        sct_plan_destroy(made);
    else
        *plan = made;
    return status;
}

sct_status sct_plan_least_steps(const sct_problem *problem, int rank, const sct_options *options,
                                int64_t *steps) {
    static const int64_t uncut[SCT_DIMS] = {0, 0, 0};
    sct_plan *plan = NULL;
    sct_status status = begin(problem, rank, options, &plan);
    if (!status)
        status = sct_plan_slice(plan, uncut);
    if (!status)
        *steps = plan->steps;
    sct_plan_destroy(plan);
    return status;
}

const sct_plan *sct_plan_hold(const sct_plan *plan) {
    atomic_fetch_add(&((sct_plan *)plan)->holders, 1);
    return plan;
}

void sct_plan_destroy(sct_plan *plan) {
    if (!plan || atomic_fetch_sub(&plan->holders, 1) > 1)
        return;
    sct_plan_unslice(plan);
    sct_product_clear(&plan->product);
    free(plan);
}

sct_status sct_plan_cost(const sct_plan *plan, sct_cost *cost) {
    sct_status status = sct_check_given("plan", plan);
    if (!status)
        status = sct_check_given("the place for the cost", cost);
    if (!status)
        *cost = plan->cost;
    return status;
}

void sct_cost_add(const sct_cost *cost, sct_cost *sum) {
    sum->steps += cost->steps;
    sum->bytes_got += cost->bytes_got;
    sum->bytes_gathered += cost->bytes_gathered;
    sum->bytes_in_place += cost->bytes_in_place;
    sum->bytes_accumulated += cost->bytes_accumulated;
    sum->bytes_scattered += cost->bytes_scattered;
    sum->bytes_reduced += cost->bytes_reduced;
    sum->workspace += cost->workspace;
    sum->flops += cost->flops;
}

sct_stay sct_plan_stay(const sct_plan *plan) {
    return (sct_stay)(SCT_STAY_A + plan->stay);
}

static int owner_of(const sct_operand *operand) {
    sct_fragments fragments = sct_operand_begin(operand);
    sct_fragment fragment;
    int owner = -1;
    for (bool first = true; sct_fragments_next(&fragments, &fragment); first = false) {
        if (!first && fragment.place.rank != owner)
            return -1;
        owner = fragment.place.rank;
    }
    return owner;
}

static sct_reach reach_of(const sct_operand *operand) {
    return operand->in_place ? SCT_IN_PLACE : SCT_BY_COPY;
}

static int64_t blocks_of(const sct_operand *operand) {
    return operand->in_place ? sct_operand_fragments(operand) : 1;
}

sct_range sct_indices_range(const sct_indices *indices, int64_t index) {
    return indices->all ? indices->all[index] : indices->first;
}

sct_status sct_plan_step(const sct_plan *plan, int64_t index, sct_step *step) {
    sct_status status = sct_check_given("plan", plan);
    if (!status)
        status = sct_check_given("the place for the step", step);
    if (status)
        return status;
    if (index < 0 || index >= plan->steps)
        return sct_fail(SCT_BAD_ARGUMENT, "step %lld is not between 0 and %lld", (long long)index,
                        (long long)plan->steps - 1);
    sct_task task;
    sct_plan_task(plan, index, &task);
    const sct_operand *operand = task.operand;
    bool direct = !plan->agenda.group;
    *step = (sct_step){.m = task.piece[SCT_DIM_M].indices,
                       .k = task.piece[SCT_DIM_K].indices,
                       .n = task.piece[SCT_DIM_N].indices,
                       .a = reach_of(&operand[SCT_MAT_A]),
                       .b = reach_of(&operand[SCT_MAT_B]),
                       .c = reach_of(&operand[SCT_MAT_C]),
                       .blocks_a = blocks_of(&operand[SCT_MAT_A]),
                       .blocks_b = blocks_of(&operand[SCT_MAT_B]),
                       .owner_a = owner_of(&operand[SCT_MAT_A]),
                       .owner_b = owner_of(&operand[SCT_MAT_B]),
                       .owner_c = owner_of(&operand[SCT_MAT_C]),
                       .group = direct ? index : sct_agenda_group(&plan->agenda, index)};
    return SCT_OK;
}
