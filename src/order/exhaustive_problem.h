/* exhaustive_problem.h - a small graph as a search takes it: steps and transfers are bits. */
#ifndef SCT_ORDER_EXHAUSTIVE_PROBLEM_H
#define SCT_ORDER_EXHAUSTIVE_PROBLEM_H

#include "order/exhaustive_resources.h"
#include "order/order.h"

enum { SCT_MOST_MOVED = SCT_MOST_FETCHED + SCT_MOST_STEPS };

typedef struct sct_case {
    int steps, data, transfers;
    /* Transfers: first the data that are not in place, those in front that take longest, then
     * runs. */
    int64_t datum[SCT_MOST_MOVED];
    double alone[SCT_MOST_MOVED];    /* what each takes at least */
    int owner[SCT_MOST_FETCHED];     /* the one step that needs it; -1: there are several */
    sct_search_tolls tolls;          /* what they take of channels */
    double seconds[SCT_MOST_STEPS];  /* of the product */
    uint32_t needs[SCT_MOST_STEPS];  /* data */
    uint32_t run[SCT_MOST_STEPS];    /* steps, with this one; 0: none */
    int sum[SCT_MOST_STEPS];         /* the transfer of its run; -1: none */
    uint32_t own[SCT_MOST_STEPS][2]; /* data of A and of B that no other step needs */
    int twin[SCT_MOST_STEPS];        /* the step before it that is like it in all; -1: none */
} sct_case;

/* Of a graph with no more steps, and data to fetch, than a search takes. */
sct_status sct_case_create(const sct_graph *graph, sct_case *made);
void sct_case_clear(sct_case *c);

#endif
