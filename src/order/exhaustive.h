/* exhaustive.h - a small graph as the exhaustive search sees it: sets of steps and of transfers
 * are bits, and resources that only one transfer uses are left out. */
#ifndef SCT_ORDER_EXHAUSTIVE_H
#define SCT_ORDER_EXHAUSTIVE_H

#include "order/order.h"

enum { SCT_MOST_MOVED = SCT_MOST_FETCHED + SCT_MOST_STEPS };

typedef struct sct_exhaustive_transfer {
    int64_t slice;
    int64_t first; /* the first step that uses the slice */
    int owner;     /* the only step that uses it; -1: several do */
    double alone;  /* seconds if nothing else is moved */
} sct_exhaustive_transfer;

typedef struct sct_exhaustive_problem {
    int steps, slices, transfers, resources;
    /* First the slices to fetch, the longest first. Slices of equal length are in the order of the
     * steps that use them, so that of interchangeable steps the first one has its slices first.
     * Then the contributions of runs. */
    sct_exhaustive_transfer transfer[SCT_MOST_MOVED];
    /* Seconds: [transfer * resources + resource]. The rank itself comes first. Left out are
     * resources that only one transfer uses. */
    double *use;
    double seconds[SCT_MOST_STEPS];         /* of the product */
    uint32_t needs[SCT_MOST_STEPS];         /* slices to fetch */
    uint32_t run[SCT_MOST_STEPS];           /* steps of its run, including itself; 0: none */
    int sum[SCT_MOST_STEPS];                /* transfer of the run's contribution; -1: none */
    uint32_t own[SCT_MOST_STEPS][SCT_MATS]; /* by matrix: the transfer of a slice that no other
                                             * step uses; 0: none */
    int twin[SCT_MOST_STEPS];               /* the previous interchangeable step; -1: none */
} sct_exhaustive_problem;

/* From a graph within the limits of the search (order.h). */
sct_status sct_exhaustive_problem_create(const sct_graph *graph, sct_exhaustive_problem *c);
void sct_exhaustive_problem_clear(sct_exhaustive_problem *c);

#endif
