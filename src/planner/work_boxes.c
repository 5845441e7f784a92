/* work_boxes.c - counts what a rank would move if it did the work of a box: what the box needs and
 * others need of the rank's parts, less what the two have in common. */
#include "planner/work_boxes.h"

#include "base/checked.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

/* Bytes of an element. */
static double element(const sct_product *product, int matrix) {
    return (double)sct_type_bytes(product->type[matrix]);
}

static double held_by(const sct_product *product, int matrix, int rank) {
    const sct_layout *layout = product->layout[matrix];
    double elements = 0;
    for (int block = 0; block < sct_layout_cells(layout, rank); block++) {
        sct_part part = sct_layout_part(layout, &product->view[matrix], rank, block);
        elements += (double)part.lines * (double)part.count;
    }
    return elements / layout->replicas * element(product, matrix);
}

sct_status sct_box_costs_create(const sct_product *product, sct_box_costs *costs) {
    size_t ranks = (size_t)product->ranks;
    *costs = (sct_box_costs){.product = product,
                             .held = malloc(SCT_MATS * ranks * sizeof *costs->held),
                             .cost = malloc(ranks * ranks * sizeof *costs->cost),
                             .read = malloc(ranks * sizeof *costs->read),
                             .added = malloc(ranks * sizeof *costs->added)};
    if (!costs->held || !costs->cost || !costs->read || !costs->added) {
        sct_box_costs_clear(costs);
        return sct_no_memory("a work layout");
    }
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        for (int rank = 0; rank < product->ranks; rank++)
            costs->held[(size_t)matrix * ranks + (size_t)rank] = held_by(product, matrix, rank);
    return SCT_OK;
}

void sct_box_costs_clear(sct_box_costs *costs) {
    free(costs->held);
    free(costs->cost);
    free(costs->read);
    free(costs->added);
    *costs = (sct_box_costs){.held = NULL};
}

/* Bytes of a rank's part that boxes use, each as often as boxes do. */
static double used_of_part(const sct_box_costs *costs, const sct_boxes *boxes, int matrix,
                           int rank) {
    size_t at = (size_t)matrix * (size_t)costs->product->ranks + (size_t)rank;
    return costs->held[at] * boxes->cut[sct_free_dim(matrix)]->parts;
}

/* Adds the bytes of each box that a cell of a rank holds: the indices of two dimensions that they
 * have in common, multiplied. */
static void add_owned(const sct_product *product, const sct_boxes *boxes, int matrix, sct_cell cell,
                      double *own) {
    const double *common[2];
    int stride[SCT_DIMS], first = sct_matrix_dim(matrix, 0), second = sct_matrix_dim(matrix, 1);
    int third = sct_free_dim(matrix);
    for (int i = 0; i < 2; i++) {
        int dim = sct_matrix_dim(matrix, i);
        const sct_work_cut *cut = boxes->cut[dim];
        int coord = sct_product_coord(product, matrix, dim, cell);
        common[i] = cut->common[sct_matrix_side(matrix, dim)] + (int64_t)coord * cut->parts;
    }
    for (int i = SCT_DIMS - 1, step = 1; i >= 0; step *= boxes->cut[boxes->order[i--]]->parts)
        stride[boxes->order[i]] = step;
    for (int x = 0; x < boxes->cut[first]->parts; x++)
        for (int y = 0; common[0][x] > 0 && y < boxes->cut[second]->parts; y++) {
            double bytes = common[0][x] * common[1][y] * element(product, matrix);
            double *box = own + x * stride[first] + y * stride[second];
            for (int z = 0; bytes > 0 && z < boxes->cut[third]->parts; z++)
                box[z * stride[third]] += bytes;
        }
}

/* What each box needs, in bytes. */
static void count_needs(sct_box_costs *costs, const sct_boxes *boxes) {
    const sct_product *product = costs->product;
    for (int box = 0; box < product->ranks; box++) {
        double read = 0, added = 0, size[SCT_DIMS];
        int at = box;
        for (int i = SCT_DIMS - 1; i >= 0; at /= boxes->cut[boxes->order[i--]]->parts) {
            const sct_work_cut *cut = boxes->cut[boxes->order[i]];
            size[cut->dim] = cut->size[at % cut->parts];
        }
        if (box < boxes->count) {
            read = size[SCT_DIM_K] * (size[SCT_DIM_M] * element(product, SCT_MAT_A) +
                                      size[SCT_DIM_N] * element(product, SCT_MAT_B));
            added = size[SCT_DIM_M] * size[SCT_DIM_N] * element(product, SCT_MAT_C);
        }
        costs->read[box] = read;
        costs->added[box] = added;
    }
}

double sct_box_costs_count(sct_box_costs *costs, const sct_boxes *boxes) {
    const sct_product *product = costs->product;
    int ranks = product->ranks;
    double busiest = 0;
    count_needs(costs, boxes);
    for (int rank = 0; rank < ranks; rank++) {
        double in = used_of_part(costs, boxes, SCT_MAT_C, rank);
        double out = used_of_part(costs, boxes, SCT_MAT_A, rank) +
                     used_of_part(costs, boxes, SCT_MAT_B, rank);
        double *cost = costs->cost + (size_t)rank * (size_t)ranks, least = INFINITY;
        for (int box = 0; box < ranks; box++)
            cost[box] = 0;
        for (int matrix = 0; matrix < SCT_MATS; matrix++) {
            const sct_layout *layout = product->layout[matrix];
            for (int block = 0; block < sct_layout_cells(layout, rank); block++)
                add_owned(product, boxes, matrix, sct_layout_cell(layout, rank, block), cost);
        }
        for (int box = 0; box < ranks; box++) {
            double taken = in + costs->read[box], given = out + costs->added[box];
            double moved = (taken > given ? taken : given) - cost[box];
            cost[box] = moved > 0 ? moved : 0; /* rounding errors */
            least = cost[box] < least ? cost[box] : least;
        }
        busiest = fmax(busiest, least);
    }
    return busiest;
}
