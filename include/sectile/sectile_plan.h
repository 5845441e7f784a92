/* sectile_plan.h - plans, which say what a rank does, and jobs, which do it often.
 *
 * sectile.h includes this file. */
#include <sectile/sectile.h> /* first, which includes this file before others that need it */

#ifndef SECTILE_PLAN_H
#define SECTILE_PLAN_H

#ifdef __cplusplus
extern "C" {
#endif

/* What is to be multiplied, without data. Layouts describe matrices as stored: with op_a = SCT_T, a
 * is k x m. A view is NULL for the whole matrix. */
typedef struct sct_problem {
    size_t size;
    sct_type type;
    int sum_c; /* nonzero: C is not of that type, but of sct_type_sum(type) */
    sct_op op_a, op_b;
    const sct_layout *a, *b, *c;
    const sct_slice *view_a, *view_b, *view_c;
    int ranks;
    int ranks_per_node; /* as in sct_world_options */
    /* Likewise for one matrix; 0: as for all. See sct_matrix_ranks_per_node. */
    int ranks_per_node_a, ranks_per_node_b, ranks_per_node_c;
} sct_problem;

typedef struct sct_plan sct_plan;

/* Not collective, and pure: any rank of any number of ranks. */
SCT_API sct_status sct_plan_create(const sct_problem *problem, int rank, const sct_options *options,
                                   sct_plan **plan);
SCT_API void sct_plan_destroy(sct_plan *plan);

/* What one rank does and moves in one run with alpha other than 0. What it gathers from ranks
 * within reach is both gathered and read in place; elements of C that products write in another
 * rank's memory count as in place, too. */
typedef struct sct_cost {
    int64_t steps;
    uint64_t bytes_got;      /* fetched from beyond the reach of pointers */
    uint64_t bytes_gathered; /* copied within reach, its own bytes too, to make a dense operand */
    uint64_t bytes_in_place; /* of other ranks, read through pointers */
    uint64_t bytes_accumulated; /* added into other ranks' parts of C */
    uint64_t bytes_scattered;   /* added into this rank's own part of C from workspace */
    uint64_t bytes_reduced;     /* of those got or read in place: to add up replicas of C */
    uint64_t workspace;         /* bytes */
    double flops;               /* real additions and multiplications */
} sct_cost;
SCT_API sct_status sct_plan_cost(const sct_plan *plan, sct_cost *cost);
/* Adds one rank's to a sum over ranks. */
SCT_API void sct_cost_add(const sct_cost *cost, sct_cost *sum);
SCT_API sct_stay sct_plan_stay(const sct_plan *plan);
/* The work layout, which belongs to the plan; NULL if it is that of a stationary matrix. */
SCT_API const sct_layout *sct_plan_work(const sct_plan *plan);

/* Alike for plans that do the same steps in the same order on operands that lie alike. */
SCT_API uint64_t sct_plan_hash(const sct_plan *plan);

/* One local product, or a few if A or B is used where it lies and that is in several blocks. The
 * index sets are those of the whole product, in ascending order. */
typedef struct sct_indices {
    int64_t count;        /* of indices */
    int64_t ranges;       /* that they are, which sct_indices_range tells */
    sct_range first;      /* of them */
    const sct_range *all; /* belong to the plan; NULL if there is but one */
} sct_indices;
/* Range `index` of so many. */
SCT_API sct_range sct_indices_range(const sct_indices *indices, int64_t index);
typedef enum sct_reach {
    SCT_IN_PLACE, /* used where it lies */
    SCT_BY_COPY   /* goes through workspace */
} sct_reach;
typedef struct sct_step {
    sct_indices m, k, n;
    sct_reach a, b, c;
    int64_t blocks_a, blocks_b;    /* in place; each of A with each of B is a call of the BLAS */
    int owner_a, owner_b, owner_c; /* the rank; -1 if there are several */
    int64_t group;                 /* in which it is multiplied; of direct order, its index */
} sct_step;
/* Step `index` of the plan, in the order in which it is done. */
SCT_API sct_status sct_plan_step(const sct_plan *plan, int64_t index, sct_step *step);

/* Checks, without data, the plans of all ranks: every (i, l, j) of the product belongs to exactly
 * one step, and every operand of every step lies where its layout says. Not collective. */
SCT_API sct_status sct_plan_check(const sct_problem *problem, const sct_options *options);

/* A plan bound to matrices of a world. */
typedef struct sct_job sct_job;

/* Collective; each rank passes its own plan of one problem. */
SCT_API sct_status sct_job_create(sct_world *world, const sct_plan *plan, sct_view a, sct_view b,
                                  sct_view c, sct_job **job);
/* Collective. Agrees on the job, alpha and beta and prepares C; the products are made in
 * sct_job_wait. Between the two A and B must not be changed nor C be touched. */
SCT_API sct_status sct_job_start(sct_job *job, const void *alpha, const void *beta);
/* Collective. Where ranks wait for different jobs it fails on all, after the products. */
SCT_API sct_status sct_job_wait(sct_job *job);
/* Collective if C is of f16 or bf16, whose sums are in memory that all ranks reach; else not. */
SCT_API void sct_job_destroy(sct_job *job);

#ifdef __cplusplus
}
#endif

#endif
