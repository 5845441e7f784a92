/* lower_bound.h - compares what a rank moves with the lower bound, which some rank has to move in
 * any layouts. */
#ifndef CLI_RUN_LOWER_BOUND_H
#define CLI_RUN_LOWER_BOUND_H

#include "args/problem.h"

/* What a rank moves, and the memory that it takes, in bytes. */
struct burden {
    uint64_t moved;   /* all but `made` and `reduced` */
    uint64_t made;    /* to make replicas of A and B from one copy of each */
    uint64_t reduced; /* to reduce the replicas of C */
    uint64_t memory;  /* parts and workspace */
    bool copies;      /* A or B is replicated from the start */
};

struct lower_bound {
    sct_lower_bound bound; /* for that memory */
    bool copies;           /* A or B is replicated, which the bound does not allow for */
    bool known;            /* false if `copies`, or if no rank has to move anything */
    double times;          /* what the rank moves and makes, over the bound */
    double reduced;        /* what it reduces, over the bound */
};

sct_status lower_bound_find(const struct args *args, const struct burden *burden,
                            struct lower_bound *lower);

/* "1d", "2d", "3d" or "memory". */
const char *lower_bound_regime(const sct_lower_bound *bound);
/* Adds bound, regime, times_bound and times_bound_reduced to the open object. */
void lower_bound_json(const struct lower_bound *lower, struct json *json);
void lower_bound_print(int64_t rank, const struct lower_bound *lower);

#endif
