/* multiply_pieces.h - multiplies matrices in files, piece by piece and matrix by matrix of a stack.
 */
#ifndef CLI_VERBS_MULTIPLY_PIECES_H
#define CLI_VERBS_MULTIPLY_PIECES_H

#include "run/piece_plans.h"
#include "verbs/file_work.h"

struct multiply_pieces {
    const struct args *args;
    const struct piece_plans *plans;
    const struct input *inputs; /* A, B and perhaps C */
    int count;
    const struct output *output;
    struct progress *progress;
    struct measure *measures;    /* by rank: sums over all pieces */
    struct file_seconds seconds; /* of rank 0 */
};

/* A worker_work of a struct multiply_pieces. */
sct_status multiply_pieces_work(struct worker *worker, void *context);

#endif
