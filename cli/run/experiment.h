/* experiment.h - one problem, multiplied on all ranks: timed, checked, compared with the BLAS. */
#ifndef CLI_RUN_EXPERIMENT_H
#define CLI_RUN_EXPERIMENT_H

#include "ranks/peak_memory.h"
#include "run/check.h"
#include "run/planned_product.h"
#include "run/ratio.h"

/* With --check the first executions are compared, each in its way. */
enum { EXACT, BOUND, ROUNDS };

struct outcome {
    struct product product; /* without its plans */
    struct measure sum;     /* the median time, the bytes of one execution */
    bool as_planned;        /* as to bytes */
    struct verdict verdicts[ROUNDS];
    int timed; /* executions */
    struct peak peak;
    int64_t parts; /* bytes of A, B and C, in all replicas on all ranks */

    /* With --reference. */
    double blas_seconds;
    struct ratio ratio;      /* the time of the BLAS over that of the product */
    double cpu_outside_gemm; /* a share of all processor time; NaN: not known */
    int64_t
        blas_memory; /* bytes that a process that only calls the BLAS takes, beyond A, B and C */
    bool oversubscribed; /* more ranks than cores */
};

/* Collective, as functions of the team are: all processes have the outcome. Says what went wrong,
 * if anything did; wrong results are told by the outcome alone. */
enum code experiment_run(const struct problem *problem, struct outcome *outcome);

/* Whether bytes are as planned and the check, if there was one, holds. */
bool outcome_ok(const struct outcome *outcome);

/* What is measured, as fields of the object that is open. */
void outcome_json(const struct problem *problem, const struct outcome *outcome, struct json *json);

#endif
