/* proof.h - shows that plans of a product, one for each of its ranks, together do every (i, l, j)
 * exactly once, with operands that lie where the layouts say. */
#ifndef SCT_PLAN_PROOF_H
#define SCT_PLAN_PROOF_H

#include "plan/plan.h"

typedef struct sct_proof {
    const sct_product *product;
    uint64_t weight; /* of all steps of the plans so far */
} sct_proof;

sct_proof sct_proof_begin(const sct_product *product);
/* Fails if an operand of a step is somewhere else. */
sct_status sct_proof_add(sct_proof *proof, const sct_plan *plan);
/* Fails if something is not done, or not once. */
sct_status sct_proof_end(const sct_proof *proof);

#endif
