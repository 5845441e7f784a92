/* rank_results.h - combines the results of the ranks into the outcome of an experiment. */
#ifndef CLI_RUN_RANK_RESULTS_H
#define CLI_RUN_RANK_RESULTS_H

#include "run/experiment.h"

/* What one rank found, beside the measures of its executions. */
struct finding {
    struct verdict verdicts[ROUNDS];
    double cpu_whole, cpu_alone; /* processor seconds: of the product, and of its GEMMs alone */
};

struct rank_results {
    const struct problem *problem;
    const struct product *product;
    int executions;           /* including the warm-up */
    struct measure *measures; /* by rank and execution */
    struct finding *findings; /* by rank */
    struct measure *sums;     /* by execution */
    double *numbers;          /* scratch memory for two numbers per execution */
};

/* False: out of memory. Destroy it even then. */
bool rank_results_create(const struct problem *problem, const struct product *product,
                         int executions, struct rank_results *results);
void rank_results_destroy(struct rank_results *results);

struct measure *rank_results_measure(const struct rank_results *results, int rank, int execution);

/* Collective in the sense of rank_group.h: gives all processes the results of all ranks. */
enum code rank_results_gather(struct rank_results *results, enum code code);
/* Derives the outcome; reports wrong results. `alpha` is that of the timed executions. */
void rank_results_conclude(struct rank_results *results, struct number alpha,
                           struct outcome *outcome);

#endif
