/* planner.c - makes plans: fills in how many steps ahead is prefetched by default and how much is
 * in flight, chooses the work layout, then cuts and orders the steps. sct_plan_check makes the
 * plans of all ranks, and proves with plan/proof.h that together they are the product. */
#include "planner/planner.h"

#include "base/checked.h"
#include "base/status.h"
#include "plan/constants.h"
#include "plan/proof.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool sct_ranks_copy(const sct_product *product, const sct_machine *machine) {
    return product->node >= product->ranks && sct_machine_by_rank(machine, 0, product->ranks - 1);
}

/* Fills in the depths. Where ranks copy themselves nothing is prefetched: an early copy only takes
 * workspace, and a reused slot is still in the cache. */
static void fill_depths(const sct_product *product, sct_options *options) {
    bool itself = sct_ranks_copy(product, options->machine);
    bool reads = itself || (sct_product_all_near(product, SCT_MAT_A) &&
                            sct_product_all_near(product, SCT_MAT_B));
    bool adds = itself || sct_product_all_near(product, SCT_MAT_C);
    if (options->prefetch <= 0)
        options->prefetch = options->prefetch < 0 || reads ? 0 : SCT_UNDER_WAY;
    bool one = (reads && adds) || options->machine->products == 1;
    if (options->products_in_flight == 0)
        options->products_in_flight = one ? 1 : SCT_UNDER_WAY;
    if (options->accumulates_in_flight == 0)
        options->accumulates_in_flight = adds ? 1 : 2 * SCT_UNDER_WAY;
    if (options->transfers_in_group == 0)
        options->transfers_in_group = 2 * options->products_in_flight;
}

/* A C of f16 or bf16 needs f32 sums of its whole local part. */
static sct_status provide_sums(sct_plan *plan) {
    const sct_product *product = &plan->product;
    if (!sct_product_rounds(product))
        return SCT_OK;
    if (plan->options.result == SCT_RESULT_PARTIAL)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "result: C is %s, which is not a type for partial sums: f32 is",
                        sct_type_name(product->type_c));
    return sct_layout_bytes(product->layout[SCT_MAT_C], product->type[SCT_MAT_C], plan->rank,
                            &plan->sums_bytes);
}

/* By default sums, which have to be there, are allowed for. */
static void set_limit(sct_plan *plan) {
    double limit = sct_workspace_limit(&plan->product, &plan->options, plan->rank);
    if (plan->options.workspace == 0 && plan->sums_bytes > 0)
        limit = sct_larger(limit, (double)plan->sums_bytes + SCT_LEAST_LIMIT);
    plan->limit = limit < INFINITY ? (uint64_t)limit : UINT64_MAX;
}

/* The machine, how far ahead plans look on it, memory for sums, and the limit on workspace. */
static sct_status fill_in(struct sct_machine *assumed, sct_plan *plan) {
    sct_options *options = &plan->options;
    bool free_to_look = options->prefetch == 0 && options->schedule == SCT_DIRECT;
    if (!options->machine) {
        assert(assumed);
        *assumed = sct_machine_default(plan->product.node, plan->product.gpus);
        options->machine = assumed;
    }
    fill_depths(&plan->product, options);
    plan->decisions = (sct_decisions){.size = sizeof plan->decisions};
    plan->decisions.ahead = free_to_look ? options->prefetch : 0;
    sct_status status = provide_sums(plan);
    set_limit(plan);
    return status;
}

/* Takes the work layout that the options name, or chooses it. The plan keeps a reference. */
static sct_status choose_work(bool described, sct_plan *plan) {
    const sct_options *options = &plan->options;
    const sct_product *product = &plan->product;
    bool any = options->stay == SCT_STAY_AUTO;
    int shape = any ? SCT_MAT_C : SCT_MAT_A + (int)options->stay - 1;
    int count;
    if (any && !options->work)
        return sct_work_choose(product, options, described, 1, &plan->work, &count);
    sct_work_layout work = sct_work_stationary(product, shape);
    sct_status status =
        options->work ? sct_work_create(product, shape, options->work, &work) : SCT_OK;
    if (status)
        return status;
    plan->work = work;
    sct_layout_hold(work.layout);
    return SCT_OK;
}

/* Makes a plan that has no steps yet. Its work layout is `work`; if that is NULL, the one that the
 * options name, or else a chosen one. The options are resolved. Those of the plan may refer to
 * `assumed`. */
static sct_status begin_with(const sct_product *product, const sct_options *options, int rank,
                             const sct_work_layout *work, struct sct_machine *assumed,
                             sct_plan **plan) {
    sct_plan *made = calloc(1, sizeof *made);
    if (!made)
        return sct_no_memory("a plan");
    *made = (sct_plan){.holders = 1, .rank = rank, .product = *product, .options = *options};
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        sct_layout_hold(product->layout[matrix]);
    sct_status status = fill_in(assumed, made);
    if (!status && work) {
        made->work = *work;
        sct_layout_hold(work->layout);
    } else if (!status) {
        status = choose_work(made->options.machine != assumed, made);
    }
    if (status)
        sct_plan_destroy(made);
    else
        *plan = made;
    return status;
}

/* The product and the options of a problem and options as the caller gave them. */
static sct_status resolve(const sct_problem *problem, const sct_options *options,
                          sct_options *resolved, sct_product *product) {
    sct_problem known;
    sct_status status = sct_problem_resolve(problem, &known);
    if (!status)
        status = sct_options_resolve(options, resolved);
    return status ? status : sct_product_create(&known, product);
}

/* Likewise, for such a problem and options. */
static sct_status begin(const sct_problem *problem, int rank, const sct_options *options,
                        struct sct_machine *assumed, sct_plan **plan) {
    sct_options resolved;
    sct_product product;
    sct_status status = resolve(problem, options, &resolved, &product);
    if (status)
        return status;
    if (rank < 0 || rank >= product.ranks)
        status =
            sct_fail(SCT_BAD_ARGUMENT, "rank %d is not between 0 and %d", rank, product.ranks - 1);
    else
        status = begin_with(&product, &resolved, rank, NULL, assumed, plan);
    sct_product_clear(&product);
    return status;
}

sct_status sct_plan_candidates(const sct_problem *problem, const sct_options *options,
                               sct_work_layout work[SCT_WORK_CANDIDATES], int *count) {
    struct sct_machine assumed;
    sct_options resolved;
    sct_product product;
    sct_status status = resolve(problem, options, &resolved, &product);
    if (status)
        return status;
    bool described = resolved.machine;
    assumed = sct_machine_default(product.node, product.gpus);
    if (!described)
        resolved.machine = &assumed;
    status = sct_work_choose(&product, &resolved, described, SCT_WORK_CANDIDATES, work, count);
    sct_product_clear(&product);
    return status;
}

/* Makes the steps of a plan. What its options refer to is the caller's, and may be freed then. */
static sct_status finish(sct_plan *made, sct_plan **plan) {
    sct_status status = sct_plan_cut(made);
    made->options.machine = NULL;
    made->options.work = NULL;
    made->options.decisions = NULL;
    if (status)
        sct_plan_destroy(made);
    else
        *plan = made;
    return status;
}

sct_status sct_plan_of_work(const sct_product *product, const sct_options *options, int rank,
                            const sct_work_layout *work, sct_plan **plan) {
    sct_plan *made = NULL;
    sct_status status = begin_with(product, options, rank, work, NULL, &made);
    return status ? status : finish(made, plan);
}

sct_status sct_plan_create(const sct_problem *problem, int rank, const sct_options *options,
                           sct_plan **plan) {
    struct sct_machine assumed;
    sct_plan *made = NULL;
    sct_status status = sct_check_output("plan", plan);
    if (!status)
        status = begin(problem, rank, options, &assumed, &made);
    return status ? status : finish(made, plan);
}

sct_status sct_plan_decide(const sct_problem *problem, const sct_options *options, sct_stay *stay,
                           sct_layout **work) {
    struct sct_machine assumed;
    sct_plan *plan = NULL;
    sct_status status = sct_check_output("stay", stay);
    if (!status)
        status = sct_check_output("work", work);
    if (!status)
        status = begin(problem, 0, options, &assumed, &plan);
    if (status)
        return status;
    *stay = sct_plan_stay(plan);
    *work = (sct_layout *)sct_plan_work(plan);
    if (*work)
        sct_layout_hold(*work);
    sct_plan_destroy(plan);
    return SCT_OK;
}

sct_status sct_plan_least_steps(const sct_problem *problem, int rank, const sct_options *options,
                                int64_t *steps) {
    struct sct_machine assumed;
    sct_plan *plan = NULL;
    sct_status status = begin(problem, rank, options, &assumed, &plan);
    if (!status)
        status = sct_plan_slice(plan);
    if (!status)
        *steps = plan->steps;
    sct_plan_destroy(plan);
    return status;
}

/* ---- The proof ---- */

static sct_status add_rank(sct_proof *proof, const sct_problem *problem, int rank,
                           const sct_options *options) {
    sct_plan *plan;
    sct_status status = sct_plan_create(problem, rank, options, &plan);
    if (status) {
        char reason[SCT_REASON_BYTES];
        snprintf(reason, sizeof reason, "%s", sct_last_reason());
        return sct_fail(status, "the plan of rank %d cannot be made: %s", rank, reason);
    }
    status = sct_proof_add(proof, plan);
    sct_plan_destroy(plan);
    return status;
}

sct_status sct_plan_check(const sct_problem *problem, const sct_options *options) {
    sct_product product;
    sct_problem known;
    sct_status status = sct_problem_resolve(problem, &known);
    if (!status)
        status = sct_product_create(&known, &product);
    if (status)
        return status;
    sct_options decided = {.size = sizeof decided};
    sct_layout *work = NULL;
    sct_proof proof = sct_proof_begin(&product);
    status = sct_options_resolve(options, &decided);
    if (!status)
        status = sct_plan_decide(problem, options, &decided.stay, &work);
    decided.work = work;
    for (int rank = 0; rank < product.ranks && !status; rank++)
        status = add_rank(&proof, problem, rank, &decided);
    sct_layout_destroy(work);
    if (!status)
        status = sct_proof_end(&proof);
    sct_product_clear(&product);
    return status;
}
