/* work_boxes.h - the boxes into which a grid cuts a product, and what each would cost each rank. */
#ifndef SCT_PLANNER_WORK_BOXES_H
#define SCT_PLANNER_WORK_BOXES_H

#include "planner/work_cuts.h"

/* A grid with a cut for each dimension. Boxes are numbered as the positions of a layout of the
 * shape of a matrix: by replica, row and column. */
typedef struct sct_boxes {
    int shape, count;
    int order[SCT_DIMS]; /* dimensions: free, rows, columns */
    sct_work_cut *cut[SCT_DIMS];
} sct_boxes;

typedef struct sct_box_costs {
    const sct_product *product;
    double *held;         /* by matrix and rank: bytes of the rank's part, over the replicas */
    double *read, *added; /* by box: bytes of A and B, and of C */
    double *ones;
    double *cost; /* by rank and box */
} sct_box_costs;

sct_status sct_box_costs_create(const sct_product *product, sct_box_costs *costs);
void sct_box_costs_clear(sct_box_costs *costs);

/* Counts what boxes need. Their cuts have been counted. */
void sct_box_costs_begin(sct_box_costs *costs, const sct_boxes *boxes);
/* Fills in, and returns, the bytes that a rank would take in or give out, whichever is more, with
 * each box; behind the boxes, with none. */
const double *sct_box_costs_count(sct_box_costs *costs, const sct_boxes *boxes, int rank);

#endif
