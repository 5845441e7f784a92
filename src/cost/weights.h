/* weights.h - the numbers in the judge, the search and the estimate that are no properties of a
 * machine, and what they are worth.
 *
 * Figures are the simulated times of what is planned with another number, relative to those with
 * this one: geometric means of random small products in usual layouts, 200 each on pvc12 and on
 * h100x8, 100 each on node with 2 ranks, and on cluster with 2 to 16. */
#ifndef SCT_COST_WEIGHTS_H
#define SCT_COST_WEIGHTS_H

/* A proposal of the search must gain the fixed time of so many products. With 0: 0.948, 0.941,
 * 1.001, 1.002; but there are more steps then, and the time to plan them is not simulated. */
static const double sct_judge_worth = 5;

/* The share of time that as much workspace again as usual may cost. With 0: 0.999, 0.999, 0.999,
 * 1.001; it is there to save memory. */
static const double sct_judge_price = 0.05;

/* The share of communication that counts beside the time in which it is hidden, since others may
 * need the links. With 0: 1.001, 1.001, 0.996, 1.000. With 1: 1.001, 1.000, 1.003, 1.001. */
static const double sct_estimate_beside = 0.4;

/* At most `few` blocks of a slice are multiplied one by one, or any number at least `thin` indices
 * wide on average: the BLAS is slow on thinner ones. With 1 and 999 for `few`: 1.003 and 1.000 on
 * node, and no difference elsewhere. */
static const double sct_judge_few = 8, sct_judge_thin = 128;

#endif
