/* plan_drawing.h - what a picture shows: how A, B and C meet on a rank. All indices are those of
 * the product, whatever ops and views make of them in the stored matrices. */
#ifndef CLI_DRAW_PLAN_DRAWING_H
#define CLI_DRAW_PLAN_DRAWING_H

#include "args/problem.h"

enum { DIM_M, DIM_N, DIM_K, DIMS };

struct scene {
    const struct problem *problem;
    const sct_plan *plan; /* of the rank of --rank */
    int64_t steps;
    int64_t size[DIMS];
    int replica[MATRICES]; /* where the rank is at home */
};

sct_status scene_create(const struct problem *problem, const sct_plan *plan, struct scene *scene);

/* The dimension that runs down, or across, op(A), op(B) or C. */
int scene_down(int matrix);
int scene_across(int matrix);

/* Who owns an element in that replica, and the tile that it belongs to, or what is there of it. */
int scene_owner(const struct scene *scene, int matrix, int64_t row, int64_t col);
sct_slice scene_tile(const struct scene *scene, int matrix, int64_t row, int64_t col);

/* What a step uses of a dimension. */
const sct_indices *scene_indices(const sct_step *step, int dim);

#endif
