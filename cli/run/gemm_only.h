/* gemm_only.h - the products of a plan by themselves, on operands of the same shapes. */
#ifndef CLI_RUN_GEMM_ONLY_H
#define CLI_RUN_GEMM_ONLY_H

#include "args/problem.h"

/* A rank's share. The operands lie in memory of the rank alone, without anything that moves. */
struct gemm_only {
    const struct problem *problem;
    const sct_plan *plan;
    size_t far;             /* in so many bytes begin operands of a matrix that are in place */
    size_t bytes[MATRICES]; /* that they all take */
    size_t all;
    char *memory; /* not touched before gemm_only_fill */
};

/* False if there is no memory. */
bool gemm_only_create(const struct problem *problem, const sct_plan *plan, struct gemm_only *alone);
void gemm_only_destroy(struct gemm_only *alone);
/* Gives the operands values. */
void gemm_only_fill(struct gemm_only *alone);
/* Does all products once; adds the processor time that this took to *cpu_seconds. */
sct_status gemm_only_run(const struct gemm_only *alone, double *cpu_seconds);

#endif
