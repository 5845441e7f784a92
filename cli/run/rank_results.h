/* rank_results.h - what the ranks of an experiment have found, and what that comes to. */
#ifndef CLI_RUN_RANK_RESULTS_H
#define CLI_RUN_RANK_RESULTS_H

#include "run/experiment.h"

/* Of one rank, from all executions. */
struct finding {
    struct verdict verdicts[ROUNDS];
    double cpu_whole, cpu_alone; /* seconds of the processor: the product, its parts alone */
};

struct tally {
    const struct problem *problem;
    const struct product *product;
    int executions;           /* the first only warms up */
    struct measure *measures; /* rank by rank, of each execution */
    struct finding *findings; /* of each rank */
    struct measure *sums;     /* of each execution */
    double *numbers;          /* room for two lists */
};

/* False if there is no memory; the caller destroys it all the same. */
bool tally_create(const struct problem *problem, const struct product *product, int executions,
                  struct tally *tally);
void tally_destroy(struct tally *tally);

struct measure *tally_measure(const struct tally *tally, int rank, int execution);

/* Collective, as functions of the team are: completes what the ranks have found. */
enum code tally_gather(struct tally *tally, enum code code);
/* Says what is wrong. Numbers of the product's alone, and of the BLAS, are set with --reference. */
void tally_conclude(struct tally *tally, struct number alpha, struct outcome *outcome);

#endif
