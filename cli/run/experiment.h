/* experiment.h - multiplies one problem on all ranks: times it, checks it, compares it with one
 * BLAS call. */
#ifndef CLI_RUN_EXPERIMENT_H
#define CLI_RUN_EXPERIMENT_H

#include "ranks/host.h"
#include "run/check.h"
#include "run/planned_product.h"
#include "run/ratio.h"

/* With --check, the executions that are checked: exactly, and by the rounding bound. */
enum { EXACT, BOUND, ROUNDS };

struct outcome {
    struct product product; /* without plans */
    struct measure sum;     /* over all ranks: median time of the executions, bytes of one */
    bool as_planned;        /* every execution moved the bytes of the plans */
    struct verdict verdicts[ROUNDS];
    int timed; /* number of timed executions */
    struct peak peak;
    int64_t parts; /* bytes of A, B and C over all replicas and ranks */

    /* With --reference. */
    double blas_seconds;     /* median time of one BLAS call */
    struct ratio ratio;      /* time of one BLAS call over time of the product */
    double cpu_outside_gemm; /* share of processor time; NaN: unknown */
    int64_t blas_memory;     /* memory of the reference process beyond A, B and C; -1: unknown */
    bool oversubscribed;     /* more ranks than cores, on the host */
};

/* Collective in the sense of rank_group.h; all processes get the outcome. The observers, one for
 * each rank of this process, observe the last timed product; NULL: none. Reports errors, and
 * wrong results too. Wrong results are no failure, though: outcome_ok reports them. */
enum code experiment_run(const struct problem *problem, const sct_observer *observers,
                         struct outcome *outcome);

/* True if bytes are as planned, and the check holds if there was one. */
bool outcome_ok(const struct outcome *outcome);

/* Adds the problem and the outcome to the open object. */
void outcome_json(const struct problem *problem, const struct outcome *outcome, struct json *json);

#endif
