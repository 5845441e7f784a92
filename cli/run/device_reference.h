/* device_reference.h - one call of the BLAS of the devices, on that of rank 0, to compare products
 * with. */
#ifndef CLI_RUN_DEVICE_REFERENCE_H
#define CLI_RUN_DEVICE_REFERENCE_H

#include "ranks/worker.h"
#include "run/generated_problem.h"

/* All zeros: not made. */
struct device_reference {
    const struct generated_problem *generated;
    sct_type type, sum; /* of A and B, and of C: f32 for f16 and bf16 if devices need it */
    sct_matrix *matrix[MATRICES];
    int warm_ups; /* products before the timed one in a turn */
};

/* Collective: makes the operands, all stored in the order of C, and lets the device warm up.
 * Destroy it even on failure. */
sct_status device_reference_create(struct worker *worker, const struct generated_problem *generated,
                                   struct device_reference *reference);
/* Rank 0 alone: warm-ups, and one timed product. */
sct_status device_reference_turn(const struct device_reference *reference, sct_world *world,
                                 double *seconds);
/* Collective. */
void device_reference_destroy(struct device_reference *reference);

#endif
