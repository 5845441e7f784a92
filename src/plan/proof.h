/* proof.h - proves that the plans of all ranks together are the product: each (i, l, j) is done
 * exactly once, operands lie where the layouts say, and each contribution is handed over once. */
#ifndef SCT_PLAN_PROOF_H
#define SCT_PLAN_PROOF_H

#include "plan/plan.h"

typedef struct sct_proof {
    const sct_product *product;
    uint64_t weight; /* of all steps so far */
} sct_proof;

sct_proof sct_proof_begin(const sct_product *product);
/* Fails if an operand is not where its layout says, or a sum is not handed over exactly once. */
sct_status sct_proof_add(sct_proof *proof, const sct_plan *plan);
/* Fails if some (i, l, j) is not done exactly once. */
sct_status sct_proof_end(const sct_proof *proof);

#endif
