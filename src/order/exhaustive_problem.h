/* exhaustive_problem.h - a small graph for the exhaustive search: steps and transfers are bits. */
#ifndef SCT_ORDER_EXHAUSTIVE_PROBLEM_H
#define SCT_ORDER_EXHAUSTIVE_PROBLEM_H

#include "order/exhaustive_resources.h"
#include "order/order.h"

enum { SCT_MOST_MOVED = SCT_MOST_FETCHED + SCT_MOST_STEPS };

typedef struct sct_exhaustive_problem {
    int steps, slices, transfers;
    /* The slices that are transferred: first those to fetch, the longest first, then the
     * contributions of runs. */
    int64_t slice[SCT_MOST_MOVED];
    double alone[SCT_MOST_MOVED];    /* minimum seconds of each transfer */
    int owner[SCT_MOST_FETCHED];     /* the only step that needs it; -1: several do */
    sct_exhaustive_resources uses;   /* their use of resources */
    double seconds[SCT_MOST_STEPS];  /* of the product */
    uint32_t needs[SCT_MOST_STEPS];  /* slices */
    uint32_t run[SCT_MOST_STEPS];    /* steps of its run, including itself; 0: none */
    int sum[SCT_MOST_STEPS];         /* transfer of the run's contribution; -1: none */
    uint32_t own[SCT_MOST_STEPS][2]; /* slices of A and of B that no other step needs */
    int twin[SCT_MOST_STEPS];        /* the previous interchangeable step; -1: none */
} sct_exhaustive_problem;

/* From a graph within the limits of the search (order.h). */
sct_status sct_exhaustive_problem_create(const sct_graph *graph, sct_exhaustive_problem *made);
void sct_exhaustive_problem_clear(sct_exhaustive_problem *c);

#endif
