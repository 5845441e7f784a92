/* estimate.h - what ranks have to do for a product, reckoned from the layouts alone, without a
 * plan. Each function adds to a load. */
#ifndef SCT_COST_ESTIMATE_H
#define SCT_COST_ESTIMATE_H

#include "cost/workload.h"

/* A rank's products, if what is beyond its reach comes from, or goes to, one owner at a time. */
void sct_load_multiply(const sct_product *product, const sct_machine *machine, int stay, int rank,
                       sct_load *load);
/* What of a moving matrix the rank needs and has not; and what it has that others need. */
void sct_load_move(const sct_product *product, const sct_machine *machine, int stay, int matrix,
                   int rank, sct_load *load);
/* What it gets to add up the replicas of C, which all become equal. */
void sct_load_reduce(const sct_product *product, const sct_machine *machine, int rank,
                     sct_load *load);
/* What it gets so that there are replicas of a matrix of which each rank had its share of one. */
void sct_load_replicate(const sct_layout *layout, sct_type type, const sct_machine *machine,
                        int ranks, int rank, sct_load *load);
/* What it gets when a matrix is copied from one layout to another. */
void sct_load_copy(const sct_layout *from, const sct_layout *to, sct_type type,
                   const sct_machine *machine, int ranks, int rank, sct_load *load);

/* The rank at a place of a sample of `sample` ranks; as many as there are: all of them. */
int sct_sample_rank(int ranks, int sample, int place);

/* Seconds of the product, without adding up replicas of C, of the slowest rank of a sample, and
 * of its waiting for others; and of all of the sample, if there was nothing to compute. */
typedef struct sct_estimate {
    double slowest, moving;
} sct_estimate;
sct_estimate sct_estimate_find(const sct_product *product, const sct_machine *machine, int stay);
/* Whether one is better: by the slowest rank; by what is moved, where a model cannot tell them
 * apart. */
bool sct_estimate_better(sct_estimate one, sct_estimate other);

#endif
