/* work_boxes.c - counts what a rank would move if it did the work of a box: what the box needs and
 * others need of the rank's parts, less what the two have in common. */
#include "planner/work_boxes.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>

static double held_by(const sct_product *product, int matrix, int rank) {
    return (double)sct_product_held(product, matrix, rank) / product->layout[matrix]->replicas *
           sct_product_element(product, matrix);
}

sct_status sct_box_costs_create(const sct_product *product, sct_box_costs *costs) {
    size_t ranks = (size_t)product->ranks;
    double *numbers = malloc((SCT_MATS + 3 + ranks) * ranks * sizeof *numbers);
    if (!numbers)
        return sct_no_memory("a work layout");
    *costs = (sct_box_costs){.product = product,
                             .held = numbers,
                             .read = numbers + SCT_MATS * ranks,
                             .added = numbers + (SCT_MATS + 1) * ranks,
                             .ones = numbers + (SCT_MATS + 2) * ranks,
                             .cost = numbers + (SCT_MATS + 3) * ranks};
    for (int rank = 0; rank < product->ranks; rank++) {
        costs->ones[rank] = 1;
        for (int matrix = 0; matrix < SCT_MATS; matrix++)
            costs->held[(size_t)matrix * ranks + (size_t)rank] = held_by(product, matrix, rank);
    }
    return SCT_OK;
}

void sct_box_costs_clear(sct_box_costs *costs) {
    free(costs->held);
}

/* Bytes of a rank's part that boxes use, each as often as boxes do. */
static double used_of_part(const sct_box_costs *costs, const sct_boxes *boxes, int matrix,
                           int rank) {
    size_t at = (size_t)matrix * (size_t)costs->product->ranks + (size_t)rank;
    return costs->held[at] * boxes->cut[sct_free_dim(matrix)]->parts;
}

/* Adds the bytes of each box that a cell of a rank holds: the indices of two dimensions that they
 * have in common, multiplied. */
static void add_owned(const sct_box_costs *costs, const sct_boxes *boxes, int matrix, sct_cell cell,
                      double *own) {
    const double *common[SCT_DIMS]; /* by place in the order */
    int parts[SCT_DIMS];
    for (int i = 0; i < SCT_DIMS; i++) {
        int dim = boxes->order[i];
        const sct_work_cut *cut = boxes->cut[dim];
        parts[i] = cut->parts;
        common[i] = costs->ones;
        if (!sct_matrix_has(matrix, dim))
            continue;
        int coord = sct_product_coord(costs->product, matrix, dim, cell);
        common[i] = cut->common[sct_matrix_side(matrix, dim)] + (int64_t)coord * cut->parts;
    }
    double bytes = sct_product_element(costs->product, matrix);
    for (int x = 0; x < parts[0]; x++)
        for (int y = 0; y < parts[1]; y++, own += parts[2]) {
            double both = common[0][x] * common[1][y] * bytes;
            for (int z = 0; both > 0 && z < parts[2]; z++)
                own[z] += both * common[2][z];
        }
}

void sct_box_costs_begin(sct_box_costs *costs, const sct_boxes *boxes) {
    const sct_product *product = costs->product;
    for (int box = 0; box < product->ranks; box++) {
        double read = 0, added = 0, size[SCT_DIMS];
        int at = box;
        for (int i = SCT_DIMS - 1; i >= 0; at /= boxes->cut[boxes->order[i--]]->parts) {
            const sct_work_cut *cut = boxes->cut[boxes->order[i]];
            size[cut->dim] = cut->size[at % cut->parts];
        }
        if (box < boxes->count) {
            read = size[SCT_DIM_K] * (size[SCT_DIM_M] * sct_product_element(product, SCT_MAT_A) +
                                      size[SCT_DIM_N] * sct_product_element(product, SCT_MAT_B));
            added = size[SCT_DIM_M] * size[SCT_DIM_N] * sct_product_element(product, SCT_MAT_C);
        }
        costs->read[box] = read;
        costs->added[box] = added;
    }
}

const double *sct_box_costs_count(sct_box_costs *costs, const sct_boxes *boxes, int rank) {
    const sct_product *product = costs->product;
    int ranks = product->ranks;
    double in = used_of_part(costs, boxes, SCT_MAT_C, rank);
    double out =
        used_of_part(costs, boxes, SCT_MAT_A, rank) + used_of_part(costs, boxes, SCT_MAT_B, rank);
    double *cost = costs->cost + (size_t)rank * (size_t)ranks;
    for (int box = 0; box < ranks; box++)
        cost[box] = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        const sct_layout *layout = product->layout[matrix];
        for (int block = 0; block < sct_layout_cells(layout, rank); block++)
            add_owned(costs, boxes, matrix, sct_layout_cell(layout, rank, block), cost);
    }
    for (int box = 0; box < ranks; box++) {
        double taken = in + costs->read[box], given = out + costs->added[box];
        double moved = (taken > given ? taken : given) - cost[box];
        cost[box] = moved > 0 ? moved : 0; /* rounding errors */
    }
    return cost;
}
