/* check.c - sct_plan_check: makes the plans of all ranks, one after another, and proves with
 * plan/proof.h that together they are the product. */
#include "plan/proof.h"
#include "planner/planner.h"

#include "base/status.h"

#include <stdio.h>

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
