/* planned_product.h - the plans of all ranks for a problem, and one timed product by them. */
#ifndef CLI_RUN_PLANNED_PRODUCT_H
#define CLI_RUN_PLANNED_PRODUCT_H

#include "args/problem.h"
#include "ranks/worker.h"
#include "values/element.h"

struct product {
    int ranks;
    sct_plan **plans; /* by rank; NULL for ranks of other processes */
    sct_cost planned; /* over all ranks: sums, and the largest workspace */
    sct_stay stay;
};

/* Collective in the sense of rank_group.h: makes the plans of all ranks; reports errors. Planning
 * needs no communication, so it is done before the work: a plan that cannot be made then leaves no
 * rank waiting. */
enum code product_create(const struct problem *problem, struct product *product);
/* Frees the plans; the other fields stay valid. */
void product_destroy(struct product *product);

/* Collective among ranks: creates A, B and C, uninitialized. On failure, some may exist. */
sct_status product_matrices(struct worker *worker, const struct problem *problem,
                            sct_matrix *matrix[MATRICES]);

/* Seconds from an arbitrary start: of real time, and of processor time of the calling thread. */
double product_now(void);
double product_cpu_now(void);

/* One product, as one rank measured it. */
struct measure {
    double seconds, cpu_seconds;
    sct_traffic traffic;
    double blas_seconds; /* on rank 0, with --reference: the time of the one BLAS call */
};

/* Collective among ranks: multiplies once, and measures that. `sum` is the type of alpha and beta.
 */
sct_status product_once(sct_world *world, sct_job *job, sct_type sum, struct number alpha,
                        struct number beta, struct measure *measure);

/* Adds another rank's measure of the same product: the longest time counts, and the sums of
 * processor time and bytes. */
void measure_add(struct measure *sum, const struct measure *measure);
/* True if the bytes are those that were planned. */
bool product_as_planned(const struct product *product, const struct measure *sum);
double product_gflops(const struct args *args, double seconds);

/* Adds engine, path, time, bytes and so on to the open object. */
void product_json(const struct product *product, const struct args *args, const struct measure *sum,
                  struct json *json);
void product_print(const struct product *product, const struct args *args,
                   const struct measure *sum);

#endif
