/* experiment.h - one problem, multiplied on all ranks: timed, checked, compared with one BLAS call.
 */
#ifndef CLI_RUN_EXPERIMENT_H
#define CLI_RUN_EXPERIMENT_H

#include "ranks/peak_memory.h"
#include "run/check.h"
#include "run/planned_product.h"
#include "run/ratio.h"

/* The checked executions, with --check. */
enum { EXACT, BOUND, ROUNDS };

struct outcome {
    struct product product; /* without plans */
    struct measure sum;     /* median time; bytes of one execution */
    bool as_planned;        /* bytes as planned */
    struct verdict verdicts[ROUNDS];
    int timed; /* timed executions */
    struct peak peak;
    int64_t parts; /* bytes of A, B and C over all replicas and ranks */

    /* With --reference. */
    double blas_seconds;
    struct ratio ratio;      /* time of the BLAS over time of the product */
    double cpu_outside_gemm; /* share of processor time; NaN: unknown */
    int64_t
        blas_memory; /* bytes that a process that only calls the BLAS takes, beyond A, B and C */
    bool oversubscribed; /* more ranks than cores */
};

/* Collective, as functions of the team are: all processes have the outcome. Says what went wrong,
 * if anything did; wrong results are told by the outcome alone. */
enum code experiment_run(const struct problem *problem, struct outcome *outcome);

/* Whether bytes are as planned and the check, if there was one, holds. */
bool result_json_ok(const struct outcome *outcome);

/* What is measured, as fields of the object that is open. */
void result_json_json(const struct problem *problem, const struct outcome *outcome,
                      struct json *json);

#endif
