/* lower.h - what a plan moves beside what some rank has to move whatever the layouts. */
#ifndef CLI_LOWER_H
#define CLI_LOWER_H

#include "problem.h"

struct lower {
    sct_lower_bound bound;
    bool known;     /* else A or B has replicas, which the bound does not know, or nothing moves */
    double times;   /* the bound: what the rank moves, but for what adds up replicas of C */
    double reduced; /* what adds them up */
};

/* For the cost of a rank that stores so many bytes beside its workspace. */
sct_status lower_find(const struct problem *problem, const sct_cost *cost, uint64_t stored,
                      struct lower *lower);
/* Bytes that a rank stores of all three matrices. */
uint64_t lower_stored(const struct problem *problem, int rank);

/* "1d", "2d", "3d" or "memory". */
const char *lower_regime(const sct_lower_bound *bound);
/* bound regime times_bound times_bound_reduced, into the object that is open. */
void lower_json(const struct lower *lower, struct json *json);
void lower_print(int64_t rank, const struct lower *lower);

#endif
