/* plan.c - makes plans and answers questions about them. */
#include "plan/operand.h"

#include "base/checked.h"
#include "base/status.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_PREFETCH = 2, DEFAULT_IN_FLIGHT = 2, MOST_IN_FLIGHT = 1024 };
enum { MODEST_BYTES = 8 << 20, LEVELS = 3 };
/* A limit that would cut a rank's work into more steps than this is refused. */
static const int64_t most_steps = 1000000;

static sct_status check_option(const char *name, int value, int least, int most) {
    if (value >= least && value <= most)
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT, "%s: %d is not between %d and %d", name, value, least, most);
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
        status = check_option("schedule", (int)resolved->schedule, 0, SCT_DIRECT);
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
    if (resolved->products_in_flight == 0)
        resolved->products_in_flight = DEFAULT_IN_FLIGHT;
    if (resolved->accumulates_in_flight == 0)
        resolved->accumulates_in_flight = DEFAULT_IN_FLIGHT;
    return status;
}

static int64_t largest(const sct_plan *plan, int dim) {
    int64_t most = 0;
    for (int i = 0; i < plan->lists; i++)
        if (plan->list[i].dim == dim)
            most = sct_max(most, plan->list[i].pieces.largest);
    return most;
}

/* The matrix whose slots take the most. */
static int greediest(const sct_plan *plan) {
    int most = SCT_MAT_A;
    for (int matrix = SCT_MAT_B; matrix < SCT_MATS; matrix++)
        if ((uint64_t)plan->slots[matrix].count * plan->slots[matrix].bytes >
            (uint64_t)plan->slots[most].count * plan->slots[most].bytes)
            most = matrix;
    return most;
}

/* Chooses the next dimension to cut in half: of the matrix whose slots take the most; the free one
 * first, whose pieces only come one after another. Small k costs the BLAS least, and small pieces
 * of the dimension in which C's lines run cost it less than few lines. */
static bool cut_more(const sct_plan *plan, int levels, int64_t most[SCT_DIMS]) {
    static const int64_t floors[LEVELS][2] = {{256, 512}, {64, 64}, {1, 1}};
    bool by_rows = plan->product.layout[SCT_MAT_C]->order == SCT_ROW_MAJOR;
    int order[] = {plan->nest[0], SCT_DIM_K, by_rows ? SCT_DIM_M : SCT_DIM_N,
                   by_rows ? SCT_DIM_N : SCT_DIM_M};
    int matrix = greediest(plan);
    for (int level = 0; level < levels; level++)
        for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
            int64_t size = largest(plan, order[i]), floor = floors[level][order[i] != SCT_DIM_K];
            if (size > floor && sct_matrix_has(matrix, order[i])) {
                most[order[i]] = sct_max(floor, (size + 1) / 2);
                return true;
            }
        }
    return false;
}

/* What a rank may take without being told a limit, if pieces that are good for the BLAS allow it: a
 * little beside its parts. */
static uint64_t modest_workspace(const sct_plan *plan) {
    uint64_t own = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        size_t bytes = 0;
        sct_layout_bytes(plan->product.layout[matrix], plan->product.type[matrix], plan->rank,
                         &bytes);
        own += bytes;
    }
    return plan->sums_bytes + own / 16 + MODEST_BYTES;
}

static sct_status slice_to_fit(sct_plan *plan) {
    int64_t most[SCT_DIMS] = {0, 0, 0};
    uint64_t modest = modest_workspace(plan);
    for (;;) {
        sct_status status = sct_plan_slice(plan, most);
        if (!status)
            status = sct_plan_count(plan);
        bool ample = !status && !plan->options.workspace && plan->cost.workspace > modest;
        int levels =
            status == SCT_WORKSPACE ? LEVELS : ample && plan->options.slicing == SCT_SLICE_CLASS;
        if (plan->steps > most_steps || !cut_more(plan, levels, most))
            return status;
        sct_plan_unslice(plan);
    }
}

/* Copies within reach are made when they are asked for: to ask early would only take more room. */
static int steps_ahead(const sct_product *product, int asked) {
    bool all_near =
        sct_product_all_near(product, SCT_MAT_A) && sct_product_all_near(product, SCT_MAT_B);
    if (asked == 0)
        return all_near ? 0 : DEFAULT_PREFETCH;
    return asked > 0 ? asked : 0;
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
    plan->options.prefetch = steps_ahead(&plan->product, plan->options.prefetch);
    return status;
}

sct_status sct_plan_create(const sct_problem *problem, int rank, const sct_options *options,
                           sct_plan **plan) {
    sct_problem known;
    sct_status status = sct_problem_resolve(problem, &known);
    if (!status)
        status = sct_check_given("the place for the plan", plan);
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
    made->stay = made->options.stay == SCT_STAY_AUTO ? sct_plan_choose(&made->product)
                                                     : SCT_MAT_A + (int)made->options.stay - 1;
    if (!status)
        status = slice_to_fit(made);
    if (status)
        sct_plan_destroy(made);
    else
        *plan = made;
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
    *step = (sct_step){.m = task.piece[SCT_DIM_M]->indices,
                       .k = task.piece[SCT_DIM_K]->indices,
                       .n = task.piece[SCT_DIM_N]->indices,
                       .a = reach_of(&operand[SCT_MAT_A]),
                       .b = reach_of(&operand[SCT_MAT_B]),
                       .c = reach_of(&operand[SCT_MAT_C]),
                       .owner_a = owner_of(&operand[SCT_MAT_A]),
                       .owner_b = owner_of(&operand[SCT_MAT_B]),
                       .owner_c = owner_of(&operand[SCT_MAT_C])};
    return SCT_OK;
}
