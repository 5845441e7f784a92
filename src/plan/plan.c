/* plan.c - returns what is in a plan: its cost, steps, work layout, decisions, and the hash
 * (FNV-1a) of all that decides the bits of the result; and frees it. */
#include "plan/plan.h"

#include "base/checked.h"
#include "base/status.h"
#include "plan/operand.h"

#include <stdlib.h>

const sct_plan *sct_plan_hold(const sct_plan *plan) {
    atomic_fetch_add(&((sct_plan *)plan)->holders, 1);
    return plan;
}

void sct_plan_destroy(sct_plan *plan) {
    if (!plan || atomic_fetch_sub(&plan->holders, 1) > 1)
        return;
    sct_plan_unslice(plan);
    sct_layout_destroy((sct_layout *)plan->work.layout);
    sct_product_clear(&plan->product);
    free(plan);
}

sct_status sct_plan_cost(const sct_plan *plan, sct_cost *cost) {
    sct_status status = sct_check_given("plan", plan);
    if (!status)
        status = sct_check_output("cost", cost);
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
    sum->workspace = sum->workspace > cost->workspace ? sum->workspace : cost->workspace;
    sum->flops += cost->flops;
}

sct_stay sct_plan_stay(const sct_plan *plan) {
    return (sct_stay)(SCT_STAY_A + plan->work.shape);
}

const sct_layout *sct_plan_work(const sct_plan *plan) {
    return plan->work.stationary ? NULL : plan->work.layout;
}

sct_status sct_plan_decisions(const sct_plan *plan, sct_decisions *decisions) {
    sct_status status = sct_check_given("plan", plan);
    if (!status)
        status = sct_check_output("decisions", decisions);
    if (!status)
        *decisions = plan->decisions;
    return status;
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

/* The group that multiplies the step at a position: the first that ends after it. */
static int64_t group_of(const sct_group_list *groups, int64_t position) {
    int64_t lo = 0, hi = groups->count - 1;
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (groups->group[middle].multiply.hi > position)
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

sct_range sct_indices_range(const sct_indices *indices, int64_t index) {
    return indices->all ? indices->all[index] : indices->first;
}

sct_status sct_plan_step(const sct_plan *plan, int64_t index, sct_step *step) {
    sct_status status = sct_check_given("plan", plan);
    if (!status)
        status = sct_check_output("step", step);
    if (status)
        return status;
    if (index < 0 || index >= plan->steps)
        return sct_fail(SCT_BAD_ARGUMENT, "step %lld is not between 0 and %lld", (long long)index,
                        (long long)plan->steps - 1);
    sct_task task;
    sct_plan_task(plan, index, &task);
    const sct_operand *operand = task.operand;
    bool direct = !plan->groups.group;
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
                       .group = direct ? index : group_of(&plan->groups, index)};
    return SCT_OK;
}

/* ---- The hash ---- */

static uint64_t more(uint64_t hash, int64_t value) {
    for (int byte = 0; byte < 8; byte++)
        hash = (hash ^ ((uint64_t)value >> (8 * byte) & 255)) * 1099511628211u;
    return hash;
}

static uint64_t hash_span(uint64_t hash, sct_span span) {
    return more(more(more(hash, span.at), span.count), span.coord);
}

static uint64_t hash_piece(uint64_t hash, const sct_piece *piece) {
    for (int64_t i = 0; i < piece->indices.ranges; i++) {
        sct_range range = sct_indices_range(&piece->indices, i);
        hash = more(more(hash, range.lo), range.hi);
    }
    for (int side = 0; side < 2; side++)
        for (int64_t i = 0; i < piece->side[side].count; i++)
            hash = hash_span(hash, sct_spans_get(&piece->side[side], i));
    return hash;
}

/* Hashes pieces, and the layout of fetched tiles in workspace. */
static uint64_t hash_list(uint64_t hash, const sct_piece_list *list) {
    sct_reader reader = {.pieces = NULL};
    sct_piece piece;
    for (int64_t i = 0; i < list->pieces.count; i++) {
        sct_pieces_read(&list->pieces, i, &reader, &piece);
        hash = hash_piece(hash, &piece);
        for (int side = 0; side < 2; side++)
            if (list->tile[side])
                hash = hash_span(hash, list->tile[side][i].span);
    }
    return hash;
}

static uint64_t hash_product(uint64_t hash, const sct_product *product) {
    hash = more(more(hash, product->type[SCT_MAT_A]), product->type_c);
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        hash = more(more(hash, product->op[matrix]), product->layout[matrix]->order);
        hash = more(hash, product->layout[matrix]->replicas);
        hash = more(hash, product->ranks_per_node[matrix]);
    }
    return hash;
}

/* Hashes the steps in their order, with the sums that they begin and complete. */
static uint64_t hash_steps(uint64_t hash, const sct_plan *plan) {
    sct_readers readers = {.of = {{.pieces = NULL}}};
    sct_task task;
    for (int64_t step = 0; step < plan->steps; step++) {
        sct_plan_read(plan, step, &readers, &task);
        for (int dim = 0; dim < SCT_DIMS; dim++)
            hash = more(hash, task.number[dim]);
        hash = more(hash, task.fresh | task.flush << 1);
    }
    return hash;
}

uint64_t sct_plan_hash(const sct_plan *plan) {
    uint64_t hash = hash_product(14695981039346656037u, &plan->product);
    hash = more(more(more(hash, plan->rank), plan->work.shape), plan->options.ordered != 0);
    hash = more(more(hash, plan->options.result), plan->exclusive);
    for (int i = 0; i < plan->lists; i++)
        hash = hash_list(more(hash, i), &plan->list[i]);
    return hash_steps(hash, plan);
}
