/* check.h - checks C against a product computed in a simpler way. */
#ifndef CLI_RUN_CHECK_H
#define CLI_RUN_CHECK_H

#include "run/generated_problem.h"

/* The result of one rank. */
struct verdict {
    int64_t checked, wrong;
    double worst;          /* by check_bound: the largest error over its bound */
    struct place place;    /* place of the first wrong element, in the stored C */
    struct number is, was; /* its value, and what it should be */
};

/* The bytes of scratch memory that check_exact needs. */
size_t check_scratch_bytes(void);

/* The largest absolute value of integers with which the product is exact in its type; 0: none. */
int64_t check_exact_most(const struct generated_problem *generated);

/* Compares every element of C that this rank owns exactly. Elements outside the view must be
 * unchanged; they are not checked with --result partial, as reducing the replicas adds them up too.
 */
sct_status check_exact(const sct_world *world, const struct generated_problem *generated,
                       sct_matrix *c, void *scratch, struct verdict *verdict);

/* Compares elements that this rank owns within the rounding bound: all of a small product; the
 * corners and a sample of a large one. */
sct_status check_bound(const sct_world *world, const struct generated_problem *generated,
                       sct_matrix *c, struct verdict *verdict);

#endif
