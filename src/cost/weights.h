/* weights.h - the numbers in the planner, the judge, the search and the estimate that are no
 * properties of a machine, and what they are worth.
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

/* The next numbers set what a plan has in workspace and in flight. Their figures are of large
 * products: m, n and k from 2048 to 40000, 150 to 200 on each machine, in the order cluster, pvc12,
 * h100x8 and node.
 *
 * The workspace up to which smaller pieces must pay for themselves: this much, more if a matrix is
 * remote; and a share of the rank's own parts if one of them is stationary, or as much as all of
 * them. With 1 and 4 MiB: 0.999, 1.015, 1.009, 1.000, and up to 1.5 for small products. With 64 and
 * 256 MiB: 1.005, 0.987, 0.981, 0.999, in 1.28, 1.10, 0.95 and 1.31 times the workspace. With all
 * parts in either case: 1.005, 0.988, 0.988, 0.997, in up to 3.4 times the workspace; with the
 * share in either case: 1.008, 1.010, 1.031, 1.001. */
enum { SCT_NEAR_WORKSPACE = 8 << 20, SCT_FAR_WORKSPACE = 32 << 20, SCT_KEEPING_SHARE = 16 };

/* What is under way at a time: steps fetched ahead, where a machine's bytes are reached by fewer;
 * and products. Twice as many accumulates, and transfers in a group. Steps ahead with 1: 1.013,
 * 0.987, 0.998, 1.000; with 3: 0.994, 1.007, 1.001, 1.000, in 1.04 and 1.08 times the workspace.
 * Products with 1: 1.005, 0.999, 0.996, 1.000; but on a device the next product could not be
 * started before the last one ends. With 4: 1.006, 1.004, 1.006, 1.000. Accumulates with 2: 1.011,
 * 0.994, 0.996, 1.000, of which single ones take 1.22 times as long. */
enum { SCT_UNDER_WAY = 2 };

#endif
