/* constants.h - the numbers by which plans are made and layouts are chosen that belong to no
 * machine. docs/results/constants.md has the evidence for each. */
#ifndef SCT_PLAN_CONSTANTS_H
#define SCT_PLAN_CONSTANTS_H

/* ---- How a rank's work is cut ---- */

/* A proposal must gain the fixed time of so many products. */
static const double sct_judge_worth = 5;
/* The share of time that as much workspace again as usual may cost. */
static const double sct_judge_price = 0.05;

/* At most `few` blocks of a slice are multiplied one by one, or any number at least `thin` indices
 * wide on average: the BLAS is slow on thinner ones. */
static const double sct_judge_few = 8, sct_judge_thin = 128;

/* The workspace up to which smaller pieces must pay for themselves: this much, more if a matrix is
 * remote; and a share of the rank's own parts if one of them is stationary, or as much as all of
 * them. */
enum { SCT_NEAR_WORKSPACE = 8 << 20, SCT_FAR_WORKSPACE = 32 << 20, SCT_KEEPING_SHARE = 16 };

/* The least workspace that plans may take by default, even if the rank's parts are smaller. */
enum { SCT_LEAST_LIMIT = 256 << 20 };

/* What is under way at a time: steps fetched ahead, where a machine's bytes are reached by fewer;
 * and products. Twice as many accumulates, and transfers in a group. */
enum { SCT_UNDER_WAY = 2 };

/* The number of ready steps among which the order by cost chooses. */
enum { SCT_ORDER_WIDTH = 16 };

/* ---- Who does the work ---- */

/* The share of communication that counts beside the time in which it is hidden, since others may
 * need the links. */
static const double sct_estimate_beside = 0.4;

/* Ranks of which an estimate looks at a sample: of all, and of a group. */
enum { SCT_ESTIMATED_RANKS = 32 };

/* Messages of a rank with the owners of what it needs whose latencies pass at the same time. */
enum { SCT_MESSAGES_AT_ONCE = 16 };

/* The grids of work that are looked at: up to SCT_MOST_ASSIGNED ranks, and beyond. */
enum { SCT_COUNTED_GRIDS = 96, SCT_NUMBERED_GRIDS = 4 };

/* Numbers of parts beyond SCT_MOST_ASSIGNED are tried in steps of this share. */
enum { SCT_PARTS_STEP = 16 };

/* The most ranks of which all plans are simulated before a work layout is chosen, and the most
 * events of one such simulation. */
enum { SCT_SIMULATED_RANKS = 16 };
static const double sct_simulated_events = 1e5;

/* ---- Where the matrices lie ---- */

/* Layouts of each matrix that are combined with those of the others; and triples that are planned,
 * which is also the number of work layouts beside which they are sought. */
enum { SCT_KEPT = 3, SCT_FINALISTS = 24 };

/* The ranks of a triple that are planned. */
enum { SCT_PLANNED_RANKS = 4 };

/* Two values are equal up to this factor. */
static const double sct_choice_equal = 1.02;

/* To fit the memory, the workspace of a plan is reduced, but not below the rank's parts divided by
 * this: plans with less take long to make, and longer to run. */
enum { SCT_LEAST_SHARE = 32 };

/* For how many triples, those that take least by default, other slicings and orders are simulated.
 */
enum { SCT_VARIED = 6 };

/* A slicing or an order replaces the default if it takes less than this share of the time; an
 * exhaustive order is tried for so many steps. */
static const double sct_choice_margin = 0.95;
enum { SCT_TRIED_STEPS = 6 };

/* The events of all simulations of a search. */
static const double sct_search_events = 1e6;

#endif
