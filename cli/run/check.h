/* check.h - compares C with a product made in a simpler way. */
#ifndef CLI_RUN_CHECK_H
#define CLI_RUN_CHECK_H

#include "run/generated_problem.h"

/* What one rank found. */
struct verdict {
    int64_t checked, wrong;
    double worst;          /* largest error over its bound; infinite where there is a NaN */
    struct place place;    /* of the first wrong element */
    struct number is, was; /* what it is, and what it should be */
};

/* Bytes of memory for check_exact. */
size_t check_scratch_bytes(void);

/* Largest whole number such that products of such numbers are exact in the type; 0: none. */
int64_t check_exact_most(const struct trial *trial);

/* Compares exactly every element that this rank has of C, in its replica. Elements outside the
 * view must be as before, unless replicas were added up. */
sct_status check_exact(const sct_world *world, const struct trial *trial, const sct_matrix *c,
                       void *scratch, struct verdict *verdict);

/* Compares with the bound that rounding cannot exceed: all elements of a small product, the corners
 * and a sample of a large one. */
sct_status check_bound(const sct_world *world, const struct trial *trial, const sct_matrix *c,
                       struct verdict *verdict);

#endif
