/* check.h - checks C against a product computed in a simpler way. */
#ifndef CLI_RUN_CHECK_H
#define CLI_RUN_CHECK_H

#include "run/generated_problem.h"

/* The result of one rank. */
struct verdict {
    int64_t checked, wrong;
    double worst;          /* largest error relative to its bound; infinite for NaN */
    struct place place;    /* place of the first wrong element */
    struct number is, was; /* expected value, and actual value */
};

/* Scratch memory of check_exact. */
size_t check_scratch_bytes(void);

/* The largest integer whose products are exact in the type; 0: none. */
int64_t check_exact_most(const struct generated_problem *trial);

/* Compares every element of C that this rank owns exactly. Elements outside the view must be
 * unchanged, unless replicas were reduced. */
sct_status check_exact(const sct_world *world, const struct generated_problem *trial,
                       const sct_matrix *c, void *scratch, struct verdict *verdict);

/* Compares within the rounding bound: all elements of a small product, corners and a sample of a
 * large one. */
sct_status check_bound(const sct_world *world, const struct generated_problem *trial,
                       const sct_matrix *c, struct verdict *verdict);

#endif
