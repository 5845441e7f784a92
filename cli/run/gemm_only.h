/* gemm_only.h - the products of a plan by themselves, on operands of the same shapes. */
#ifndef CLI_RUN_GEMM_ONLY_H
#define CLI_RUN_GEMM_ONLY_H

#include "args/problem.h"

/* A rank's share. The operands lie in memory of the rank alone, without anything that moves. */
struct alone {
    const struct problem *problem;
    const sct_plan *plan;
    size_t far;             /* in so many bytes begin operands of a matrix that are in place */
    size_t bytes[MATRICES]; /* that they all take */
    size_t all;
    char *memory; /* not touched before alone_fill */
};

/* False if there is no memory. */
bool alone_create(const struct problem *problem, const sct_plan *plan, struct alone *alone);
void alone_destroy(struct alone *alone);
/* Gives the operands values. */
void alone_fill(struct alone *alone);
/* Does all products once; adds the processor time that this took to *cpu_seconds. */
sct_status alone_run(const struct alone *alone, double *cpu_seconds);

#endif
