/* estimate.h - workloads estimated from the layouts alone, without a plan. Each function adds to a
 * workload. */
#ifndef SCT_COST_ESTIMATE_H
#define SCT_COST_ESTIMATE_H

#include "cost/workload.h"

/* Work that has been judged. Most ranks of a product have the same, so that few are judged. */
enum { SCT_JUDGED = 4 };
typedef struct sct_judged_work {
    double boxes, extent[SCT_DIMS], far[SCT_MATS][SCT_MACHINE_LEVELS];
} sct_judged_work;
typedef struct sct_judgements {
    int count;
    sct_judged_work work[SCT_JUDGED];
    sct_workload workload[SCT_JUDGED];
} sct_judgements;

/* The products of a rank, as the judge decides. `judgements` is of the same product, machine and
 * work layout; all zero at first. */
void sct_workload_add_product(const sct_product *product, const sct_machine *machine,
                              const sct_work_layout *work, int rank, sct_judgements *judgements,
                              sct_workload *workload);
/* The remote part of a moving matrix that the rank needs, and what others need of its part. */
void sct_workload_add_moving(const sct_product *product, const sct_machine *machine,
                             const sct_work_layout *work, int matrix, int rank,
                             sct_workload *workload);
/* By level, the share that ranks out of reach have of what a cell of work needs of a matrix. */
void sct_far_shares(const sct_product *product, const sct_machine *machine,
                    const sct_work_layout *work, int matrix, int rank, sct_cell cell,
                    double share[SCT_MACHINE_LEVELS]);
/* What the rank fetches to reduce the replicas of C. */
void sct_workload_add_reduction(const sct_product *product, const sct_machine *machine, int rank,
                                sct_workload *workload);
/* What the rank fetches to replicate a matrix of which each rank has its share of one replica. */
void sct_workload_add_replication(const sct_layout *layout, sct_type type,
                                  const sct_machine *machine, int ranks, int rank,
                                  sct_workload *workload);
/* What the rank fetches to copy a matrix to another layout. */
void sct_workload_add_copy(const sct_layout *from, const sct_layout *to, sct_type type,
                           const sct_machine *machine, int ranks, int rank, sct_workload *workload);

/* The rank number `place` of a sample of `sample` ranks. A sample of all ranks contains each once.
 */
int sct_sample_rank(int ranks, int sample, int place);

/* Seconds of a product on a sample of ranks, without the reduction of replicas of C. */
typedef struct sct_estimate {
    double slowest; /* rank, with its computation and communication */
    double moving;  /* communication alone, of the rank that communicates longest */
} sct_estimate;
/* What estimates are compared by; the lowest weight is the best. It is the time, except that work
 * which takes slightly longer but communicates much less gets the lower weight. */
double sct_estimate_weight(sct_estimate estimate);
/* An estimate that weighs more than `most` may be too low: ranks are left out once it does. */
sct_status sct_estimate_find(const sct_product *product, const sct_machine *machine,
                             const sct_work_layout *work, double most, sct_estimate *found);

#endif
