/* planned_product.h - the plans of the ranks for a problem, and how one product of theirs went. */
#ifndef CLI_RUN_PLANNED_PRODUCT_H
#define CLI_RUN_PLANNED_PRODUCT_H

#include "args/problem.h"

struct product {
    int ranks;
    sct_plan **plans; /* of each rank; NULL: another process has it */
    sct_cost planned; /* by all; sums; workspace: the largest */
    sct_stay stay;
};

/* Collective, as functions of the team are: plans for all ranks; says why if that fails. Planning
 * is pure, so it is done before they set to work: a plan that cannot be made then leaves nobody
 * waiting. */
enum code product_create(const struct problem *problem, struct product *product);
/* Leaves all but the plans. */
void product_destroy(struct product *product);

/* The time, of which only differences mean anything. */
double product_now(void);
/* The same of the time that the calling thread has had a processor. */
double product_cpu_now(void);

/* What one rank saw of one product. */
struct measure {
    double seconds, cpu_seconds;
    sct_traffic traffic;
    double blas_seconds; /* on rank 0: what the BLAS alone took in its turn, if it had one */
};

/* Collective: does it once. alpha and beta point to one element. */
sct_status product_once(sct_world *world, sct_job *job, const void *alpha, const void *beta,
                        struct measure *measure);

/* What several ranks saw: the longest time, the sums of processor time and of bytes. */
void measure_add(struct measure *sum, const struct measure *measure);
/* Whether the bytes are those that were planned. */
bool product_as_planned(const struct product *product, const struct measure *sum);
double product_gflops(const struct args *args, double seconds);

/* engine path steps gflops seconds bytes_got bytes_gathered bytes_accumulated bytes_in_place
 * bytes_planned workspace blas_threads. */
void product_json(const struct product *product, const struct args *args, const struct measure *sum,
                  struct json *json);
void product_print(const struct product *product, const struct args *args,
                   const struct measure *sum);

#endif
