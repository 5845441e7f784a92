/* multiply_parts.h - multiplies matrices in files, part by part and matrix by matrix of a stack. */
#ifndef CLI_VERBS_MULTIPLY_PARTS_H
#define CLI_VERBS_MULTIPLY_PARTS_H

#include "run/part_plans.h"
#include "verbs/file_work.h"

struct multiply_parts {
    const struct args *args;
    const struct part_plans *plans;
    const struct input *inputs; /* A, B and perhaps C */
    int count;
    const struct output *output;
    struct progress *progress;
    struct measure *measures;    /* by rank: sums over all parts */
    struct file_seconds seconds; /* of rank 0 */
};

/* A worker_work of a struct multiply_parts. */
sct_status multiply_parts_work(struct worker *worker, void *context);

#endif
