/* lower_bound.h - what a plan moves beside what some rank has to move whatever the layouts. */
#ifndef CLI_RUN_LOWER_BOUND_H
#define CLI_RUN_LOWER_BOUND_H

#include "args/problem.h"

/* What a rank moves, and the memory that it takes, in bytes. */
struct burden {
    uint64_t moved;   /* all but what follows */
    uint64_t made;    /* to have replicas of A and B, of which there was one copy */
    uint64_t reduced; /* to add up replicas of C */
    uint64_t memory;  /* parts and workspace */
    bool copies;      /* whether there are replicas of A or of B from the start */
};

struct lower_bound {
    sct_lower_bound bound; /* for that memory */
    bool copies;           /* there are replicas of A or of B, which the bound does not know */
    bool known;            /* else there are, or no rank has to move anything */
    double times;          /* the bound: what the rank moves, replicas of A and B made, too */
    double reduced;        /* likewise, what adds up replicas of C */
};

sct_status lower_bound_find(const struct args *args, const struct burden *burden,
                            struct lower_bound *lower);

/* "1d", "2d", "3d" or "memory". */
const char *lower_bound_regime(const sct_lower_bound *bound);
/* bound regime times_bound times_bound_reduced, into the object that is open. */
void lower_bound_json(const struct lower_bound *lower, struct json *json);
void lower_bound_print(int64_t rank, const struct lower_bound *lower);

#endif
