/* sectile_plan.h - plans, which say what a rank does, and jobs, which run a plan often.
 *
 * sectile.h includes this file. */
#include <sectile/sectile.h> /* first, which includes this file before others that need it */

#ifndef SECTILE_PLAN_H
#define SECTILE_PLAN_H

#ifdef __cplusplus
extern "C" {
#endif

/* A product without data. Layouts describe matrices as stored: with op_a = SCT_T, a is k x m. A
 * NULL view is the whole matrix. */
typedef struct sct_problem {
    size_t size;
    sct_type type;
    int sum_c; /* nonzero: C has type sct_type_sum(type), not `type` */
    sct_op op_a, op_b;
    const sct_layout *a, *b, *c;
    const sct_slice *view_a, *view_b, *view_c;
    int ranks;
    int ranks_per_node; /* how many consecutive ranks share memory; 0: all */
    /* The same for each matrix; 0: as ranks_per_node. See sct_matrix_ranks_per_node. */
    int ranks_per_node_a, ranks_per_node_b, ranks_per_node_c;
    sct_gpus gpus; /* as sct_world_gpus; without a described machine, plans are for such GPUs */
} sct_problem;

typedef struct sct_plan sct_plan;

/* Plans what `rank` does, which may be any of the problem's ranks. Needs no data, no world. Errors:
 * SCT_BAD_ARGUMENT for a problem whose parts do not fit together, a rank outside it, or invalid
 * options; SCT_WORKSPACE if the limit is too small; SCT_TOO_LARGE. Not collective. */
SCT_API sct_status sct_plan_create(const sct_problem *problem, int rank, const sct_options *options,
                                   sct_plan **plan);
/* Frees a plan. No errors. Not collective. */
SCT_API void sct_plan_destroy(sct_plan *plan);

/* What one rank does and moves in one run whose alpha is not 0. Other ranks are near if this rank
 * can point to their memory, otherwise far. Bytes gathered from near ranks count twice, as gathered
 * and as in place. Elements of C that products write to another rank's memory also count as in
 * place. */
typedef struct sct_cost {
    int64_t steps;
    uint64_t bytes_got;         /* fetched from far ranks */
    uint64_t bytes_gathered;    /* copied into workspace from near ranks and from the local part */
    uint64_t bytes_in_place;    /* of near ranks, used through pointers */
    uint64_t bytes_accumulated; /* added to parts of C of other ranks */
    uint64_t bytes_scattered;   /* added from workspace to the local part of C */
    uint64_t bytes_reduced; /* those of bytes_got and bytes_in_place that reduce replicas of C */
    uint64_t workspace;     /* bytes of workspace */
    double flops;           /* real additions and multiplications */
} sct_cost;
/* Writes what a plan costs. Errors: the usual ones. Not collective. */
SCT_API sct_status sct_plan_cost(const sct_plan *plan, sct_cost *cost);
/* Adds one rank's cost to a sum over ranks, whose workspace is that of the rank that needs the
 * most. No errors. Not collective. */
SCT_API void sct_cost_add(const sct_cost *cost, sct_cost *sum);
/* Decides, as sct_plan_create does for every rank, who computes what. Options with this `stay` and
 * this `work` then spare each plan the decision. `work` is NULL if that matrix is stationary;
 * otherwise destroy it with sct_layout_destroy. Errors: as sct_plan_create. Not collective. */
SCT_API sct_status sct_plan_decide(const sct_problem *problem, const sct_options *options,
                                   sct_stay *stay, sct_layout **work);
/* Returns the stationary matrix, or else the matrix whose shape the work layout has; never
 * SCT_STAY_AUTO. No errors. Not collective. */
SCT_API sct_stay sct_plan_stay(const sct_plan *plan);
/* Returns the work layout, which lives as long as the plan; NULL if it is the layout of the
 * stationary matrix. No errors. Not collective. */
SCT_API const sct_layout *sct_plan_work(const sct_plan *plan);
/* Where a loop over the parts of a dimension begins. The rank's own part is the one that it need
 * not fetch, or not send. */
typedef enum sct_begin {
    SCT_BEGIN_FIRST,      /* with the first part, on each rank */
    SCT_BEGIN_SHIFTED,    /* shifted by the rank's place in the work layout */
    SCT_BEGIN_OWN,        /* with its own part, while the first fetch is under way */
    SCT_BEGIN_BEHIND_OWN, /* behind it: it comes last, while the last sum is sent */
    SCT_BEGIN_HALFWAY     /* in the middle of its own part: half comes first, half last */
} sct_begin;

/* How a rank does its part of the work. Arrays are indexed by dimension: 0 is m, 1 is k, 2 is n.
 * Each dimension belongs to two matrices: m to A and C, k to A and B, n to B and C. */
struct sct_decisions {
    size_t size;
    int nest[3];        /* the dimensions, 0 to 2, outermost loop first */
    int gather[3][2];   /* nonzero: what several owners have of that matrix is used together */
    int64_t most[3];    /* the most indices in a piece; 0: no limit */
    sct_begin begin[3]; /* where each loop begins */
    /* Of A and of B, if all of it is in memory that the rank can address: a slice of at most this
     * many blocks along m or n is not copied, but multiplied block by block. */
    int64_t blocks[2];
    /* Only with SCT_DIRECT: steps with remote operands to fetch ahead; 0: sct_options.prefetch
     * decides. */
    int ahead;
};

/* Writes how the rank of the plan does its part of the work. With these in the options, plans are
 * made alike, without being decided. Errors: the usual ones. Not collective. */
SCT_API sct_status sct_plan_decisions(const sct_plan *plan, sct_decisions *decisions);
/* Writes decisions as text, cut to `bytes` bytes with the final '\0', and returns the length of the
 * whole text. No errors. Not collective. */
SCT_API size_t sct_decisions_print(const sct_decisions *decisions, char *text, size_t bytes);
/* Reads such a text. What it leaves out is 0, and `nest` is k, m, n. Errors: SCT_BAD_ARGUMENT for a
 * malformed text. Not collective. */
SCT_API sct_status sct_decisions_parse(const char *text, sct_decisions *decisions);
/* Adds, for each rank r, the bytes of A and B that the plan reads from r to read[r], and the bytes
 * of C that it adds or writes to r's part to added[r]; without its own rank, and without the
 * reduction of replicas. Errors: SCT_BAD_ARGUMENT, SCT_NO_MEMORY. Not collective. */
SCT_API sct_status sct_plan_traffic(const sct_plan *plan, uint64_t *read, uint64_t *added);

/* Returns a hash that is equal for plans that do the same steps in the same order on operands that
 * are stored alike. No errors. Not collective. */
SCT_API uint64_t sct_plan_hash(const sct_plan *plan);

/* A set of indices of one dimension of the product, as ascending ranges. */
typedef struct sct_indices {
    int64_t count;        /* the number of indices */
    int64_t ranges;       /* the number of ranges: see sct_indices_range */
    sct_range first;      /* the first range */
    const sct_range *all; /* all ranges, owned by the plan; NULL if there is only one */
} sct_indices;
/* Returns range `index`, from 0 to ranges - 1. No errors. Not collective. */
SCT_API sct_range sct_indices_range(const sct_indices *indices, int64_t index);
/* How a product uses an operand. */
typedef enum sct_reach {
    SCT_IN_PLACE, /* where it is stored */
    SCT_BY_COPY   /* in workspace */
} sct_reach;
/* One local product. It is one BLAS call, or a few if A or B is used in place and consists of
 * several blocks. */
typedef struct sct_step {
    sct_indices m, k, n;
    sct_reach a, b, c;
    int64_t blocks_a, blocks_b;    /* each block of A times each of B is a BLAS call */
    int owner_a, owner_b, owner_c; /* ranks; -1: several */
    int64_t group;                 /* the group that runs it; in direct order the step's index */
} sct_step;
/* Writes step `index` of a plan, in the order of execution. Errors: SCT_BAD_ARGUMENT if there is no
 * such step. Not collective. */
SCT_API sct_status sct_plan_step(const sct_plan *plan, int64_t index, sct_step *step);

/* Makes the plans of all ranks and proves that together they are the product: each element product
 * a(i, l) b(l, j) is in exactly one step, each operand is where its layout says, each contribution
 * is added once. Errors: as sct_plan_create; SCT_FAILED if the proof fails. Not collective. */
SCT_API sct_status sct_plan_check(const sct_problem *problem, const sct_options *options);

/* A plan bound to matrices of a world. */
typedef struct sct_job sct_job;

/* Binds a plan to views of matrices, and allocates workspace. Each rank passes its own plan of the
 * same problem. Errors: SCT_BAD_ARGUMENT if the plan is for another rank, number of ranks, layout,
 * view, type or ranks_per_node, or of f16 or bf16 for GPUs where there are none, or a rank wrapped
 * NULL; SCT_ALIASED; SCT_TOO_LARGE. Collective. */
SCT_API sct_status sct_job_create(sct_world *world, const sct_plan *plan, sct_view a, sct_view b,
                                  sct_view c, sct_job **job);
/* Starts a run: checks that all ranks pass the same job, alpha and beta, and prepares C. The
 * products run in sct_job_wait; until it returns, do not change A or B, nor touch C. Errors:
 * SCT_BAD_ARGUMENT if the job is running. Collective. */
SCT_API sct_status sct_job_start(sct_job *job, const void *alpha, const void *beta);
/* Completes a run. Errors: SCT_BAD_ARGUMENT, on this rank alone, if the job is not running;
 * SCT_DISAGREE, after the products, if ranks wait for different jobs. Collective. */
SCT_API sct_status sct_job_wait(sct_job *job);
/* Frees a job that is not running. No errors. Collective if C is f16 or bf16, because the ranks
 * share the memory of its f32 sums, or if a matrix has to be copied to devices; otherwise not
 * collective. */
SCT_API void sct_job_destroy(sct_job *job);

/* A product that has been started. */
typedef struct sct_multiplying sct_multiplying;

/* Starts a product with the arguments of sct_multiply, which sct_multiply_wait then computes. Until
 * that returns on all ranks, do not write A or B, do not read or write C, and do not destroy their
 * matrices. If the start fails, C is unchanged. Errors: as sct_multiply. Collective. */
SCT_API sct_status sct_multiply_start(sct_op op_a, sct_op op_b, const void *alpha, sct_view a,
                                      sct_view b, const void *beta, sct_view c,
                                      const sct_options *options, sct_multiplying **multiplying);
/* Completes a product on all ranks, and frees it, also if it fails. Errors: SCT_BAD_ARGUMENT, on
 * this rank alone, if `multiplying` is NULL; SCT_DISAGREE, after the products, if ranks wait for
 * different ones. Collective. */
SCT_API sct_status sct_multiply_wait(sct_multiplying *multiplying);

#ifdef __cplusplus
}
#endif

#endif
