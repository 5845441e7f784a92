/* check.c - plans all ranks of a problem, one after another, and has it proved that they are it. */
#include "plan/proof.h"

static sct_status add_rank(sct_proof *proof, const sct_problem *problem, int rank,
                           const sct_options *options) {
    sct_plan *plan;
    sct_status status = sct_plan_create(problem, rank, options, &plan);
    if (status)
        return status;
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
    sct_proof proof = sct_proof_begin(&product);
    for (int rank = 0; rank < product.ranks && !status; rank++)
        status = add_rank(&proof, problem, rank, options);
    if (!status)
        status = sct_proof_end(&proof);
    sct_product_clear(&product);
    return status;
}
