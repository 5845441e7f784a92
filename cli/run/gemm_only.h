/* gemm_only.h - the GEMMs of a plan alone, without communication, on operands of the same shapes.
 */
#ifndef CLI_RUN_GEMM_ONLY_H
#define CLI_RUN_GEMM_ONLY_H

#include "args/problem.h"

/* The GEMMs of one rank. The operands are in memory of this rank alone. */
struct gemm_only {
    const struct problem *problem;
    const sct_plan *plan;
    size_t far;             /* operands in place begin within so many bytes, by matrix */
    size_t bytes[MATRICES]; /* memory for the operands of each matrix */
    size_t all;             /* the sum of these */
    char *memory;           /* not touched before gemm_only_fill, so that it takes no real memory */
};

/* Allocates the memory; false if there is none. */
bool gemm_only_create(const struct problem *problem, const sct_plan *plan, struct gemm_only *alone);
void gemm_only_destroy(struct gemm_only *alone);
/* Gives the operands values. */
void gemm_only_fill(struct gemm_only *alone);
/* Runs all GEMMs once; adds the processor time that they took to *cpu_seconds. */
sct_status gemm_only_run(const struct gemm_only *alone, double *cpu_seconds);

#endif
