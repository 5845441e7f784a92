/* trio.h - three square matrices, filled, and a job of them: what a test needs that looks into one
 * job. Collective. */
#ifndef TEST_TRIO_H
#define TEST_TRIO_H

#include "whole/support/elements.h"

typedef struct trio_kind {
    const char *layout[3];
    sct_type type;
    int64_t size;
    int ranks_per_node;
    const sct_options *options;
} trio_kind;

typedef struct trio {
    sct_layout *layout[3];
    sct_matrix *matrix[3]; /* of the seeds 0 to 2 */
    sct_plan *plan;
    sct_job *job;
} trio;

void trio_make(sct_world *world, const trio_kind *kind, trio *made);
void trio_free(trio *made);

/* Both, and in between what looks into the job. */
void trio_watch(sct_world *world, const trio_kind *kind, void (*watch)(sct_job *job));

#endif
