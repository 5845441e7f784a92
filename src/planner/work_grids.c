/* work_grids.c - finds the best grids of ranks for a product.
 *
 * A grid cuts m, n and k into parts, equally or as a matrix is cut, and gives each box of parts to
 * a rank. First a bound is computed for all grids: a rank can own at most what a part of a matrix
 * and a box have in common if they overlap as well as possible. Grids are then looked at in order
 * of their bounds: the overlap of each rank with each box is counted, and boxes are assigned so
 * that the busiest rank moves as little as possible. The search ends when no bound is below the
 * best result. For many ranks a box follows from the rank by arithmetic: the best few grids are
 * proposed with ranks numbered in all six orders. */
#include "planner/work_grids.h"

#include "base/checked.h"
#include "base/status.h"
#include "plan/constants.h"
#include "planner/matching.h"
#include "planner/work_cuts.h"

#include <math.h>
#include <stdlib.h>

/* ---- Boxes ---- */

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

/* What a rank would move if it did the work of a box: what the box needs and others need of the
 * rank's parts, less what the two have in common. */

static double held_by(const sct_product *product, int matrix, int rank) {
    return (double)sct_product_held(product, matrix, rank) / product->layout[matrix]->replicas *
           sct_product_element(product, matrix);
}

static sct_status box_costs_create(const sct_product *product, sct_box_costs *costs) {
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

static void box_costs_clear(sct_box_costs *costs) {
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

/* Counts what boxes need. Their cuts have been counted. */
static void box_costs_begin(sct_box_costs *costs, const sct_boxes *boxes) {
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

/* Fills in, and returns, the bytes that a rank would take in or give out, whichever is more, with
 * each box; behind the boxes, with none. */
static const double *box_costs_count(sct_box_costs *costs, const sct_boxes *boxes, int rank) {
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

/* ---- Grids ---- */

typedef struct sct_work_grid {
    int parts[SCT_DIMS];
    double bound; /* seconds */
} sct_work_grid;

typedef struct sct_grid_search {
    const sct_product *product;
    const sct_machine *machine;
    double limit; /* of workspace */
    sct_work_cuts cuts;
    int grids, most;
    sct_work_grid grid[SCT_COUNTED_GRIDS + 1]; /* the best first, and room to insert one more */
    sct_box_costs costs;                       /* if boxes are assigned */
    int counted;
    double best;
    sct_work_proposals *proposals;
} sct_grid_search;

/* Over the links of the level that joins all ranks. */
static double seconds_per_byte(const sct_grid_search *search) {
    const sct_machine *machine = search->machine;
    int ranks = search->product->ranks, level = 0;
    while (sct_level_group(machine, level, ranks) < ranks)
        level++;
    return 1 / sct_level_rate(machine, level, ranks);
}

static double computing(const sct_grid_search *search, const int64_t size[SCT_DIMS]) {
    return sct_machine_multiply(search->machine, search->product->type[SCT_MAT_A], size[SCT_DIM_M],
                                size[SCT_DIM_N], size[SCT_DIM_K]);
}

/* ---- Bounds ---- */

/* The extent of a rank's part of a matrix in a dimension. */
static double part_of(const sct_product *product, int matrix, int dim) {
    sct_dimension d = sct_product_dimension(product, dim);
    double size = (double)product->size[dim];
    return ceil(size / d.axis[sct_matrix_side(matrix, dim)]->coords);
}

/* The least bytes that a rank moves of a matrix, if all ranks move as many: what its box needs,
 * less what it can own of that. */
static double least_moved(const sct_product *product, int matrix, const double box[SCT_DIMS]) {
    double needed = 1, own = 1;
    for (int i = 0; i < 2; i++) {
        int dim = sct_matrix_dim(matrix, i);
        needed *= box[dim];
        own *= product->layout[matrix]->owner_of
                   ? box[dim]
                   : sct_smaller(box[dim], part_of(product, matrix, dim));
    }
    return sct_larger(0, needed - own) * sct_product_element(product, matrix);
}

/* Slices take least, if none is fetched twice, with all of one matrix kept while the others pass by
 * in pieces. */
double sct_work_box_price(const sct_product *product, double limit, const double box[SCT_DIMS]) {
    static const double pieces = 1.375, too_much = 1e6;
    double least = INFINITY;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        bool near = sct_product_all_near(product, matrix);
        double slice = box[sct_matrix_dim(matrix, 0)] * box[sct_matrix_dim(matrix, 1)] *
                       sct_product_element(product, matrix);
        least = sct_smaller(least, near ? 0 : slice * pieces);
    }
    return least > limit ? too_much * least / limit : 1;
}

static double bound_of(const sct_grid_search *search, const int parts[SCT_DIMS]) {
    const sct_product *product = search->product;
    int64_t size[SCT_DIMS];
    double box[SCT_DIMS], bytes = 0;
    for (int dim = 0; dim < SCT_DIMS; dim++) {
        size[dim] = (product->size[dim] - 1) / parts[dim] + 1;
        box[dim] = (double)product->size[dim] / parts[dim];
    }
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        bytes += least_moved(product, matrix, box);
    bytes *= (double)parts[0] * parts[1] * parts[2] / product->ranks;
    return (computing(search, size) + bytes * seconds_per_byte(search)) *
           sct_work_box_price(product, search->limit, box);
}

/* Inserts the grid of as many ranks as possible with these parts of m and n, if it is among the
 * best. */
static void add_grid(sct_grid_search *search, int64_t pm, int64_t pn) {
    const int64_t *size = search->product->size;
    int ranks = search->product->ranks;
    sct_work_grid grid;
    pm = sct_min(pm, size[SCT_DIM_M]);
    pn = sct_min(pn, size[SCT_DIM_N]);
    grid.parts[SCT_DIM_M] = (int)pm;
    grid.parts[SCT_DIM_N] = (int)pn;
    grid.parts[SCT_DIM_K] = (int)sct_min(ranks / pm / pn, size[SCT_DIM_K]);
    grid.bound = bound_of(search, grid.parts);
    int at = search->grids;
    while (at > 0 && search->grid[at - 1].bound > grid.bound)
        at--;
    for (int i = at; i > 0 && search->grid[i - 1].bound == grid.bound; i--)
        if (search->grid[i - 1].parts[SCT_DIM_M] == pm &&
            search->grid[i - 1].parts[SCT_DIM_N] == pn)
            return;
    for (int i = search->grids; i > at; i--)
        search->grid[i] = search->grid[i - 1];
    search->grid[at] = grid;
    search->grids = (int)sct_min(search->grids + 1, search->most);
}

/* The next number of parts to try: each that divides the ranks, and of the others each small one
 * and some of the larger ones, among which the bytes of a grid hardly differ. */
static int64_t next_parts(int ranks, int64_t parts) {
    int64_t next = parts < SCT_MOST_ASSIGNED ? parts + 1 : parts + parts / SCT_PARTS_STEP;
    for (int64_t divisor = parts + 1; divisor < next; divisor++)
        if (ranks % divisor == 0)
            return divisor;
    return next;
}

/* Lists the best grids. Of the parts of m, n and k, two are tried, and the third is what they leave
 * of the ranks. */
static void list_grids(sct_grid_search *search) {
    int ranks = search->product->ranks;
    for (int64_t x = 1; x <= ranks; x = next_parts(ranks, x))
        for (int64_t y = 1; y <= ranks / x; y = next_parts(ranks, y)) {
            add_grid(search, x, y);
            add_grid(search, x, ranks / x / y);
            add_grid(search, ranks / x / y, x);
        }
}

/* ---- Layouts ---- */

/* Makes the work layout in which box i belongs to rank i. */
static sct_status make_layout(const sct_boxes *boxes, sct_layout **layout) {
    sct_layout *plain = NULL, *replicated = NULL;
    const sct_work_cut *free_cut = boxes->cut[boxes->order[0]];
    int64_t block = free_cut->style == SCT_CUT_EQUAL ? 0 : free_cut->axis.block;
    sct_status status = sct_layout_create_grid(&boxes->cut[boxes->order[1]]->axis,
                                               &boxes->cut[boxes->order[2]]->axis, &plain);
    if (!status)
        status = sct_layout_replicate(plain, free_cut->parts, &replicated);
    if (!status)
        status = sct_layout_share(replicated, block, layout);
    sct_layout_destroy(plain);
    sct_layout_destroy(replicated);
    return status;
}

enum { MOST_PROPOSALS = 24 };

/* Proposes a layout of the boxes, and releases it. */
static sct_status propose(sct_grid_search *search, const sct_boxes *boxes, sct_layout *layout) {
    sct_work_proposals *proposals = search->proposals;
    sct_work_layout work = {.stationary = false};
    sct_status status = sct_work_create(search->product, boxes->shape, layout, &work);
    if (status || work.stationary) {
        sct_layout_destroy(layout);
        return status;
    }
    if (proposals->count == MOST_PROPOSALS)
        sct_layout_destroy((sct_layout *)proposals->work[--proposals->count].layout);
    for (int i = proposals->count++; i > 0; i--)
        proposals->work[i] = proposals->work[i - 1];
    proposals->work[0] = work;
    return SCT_OK;
}

void sct_work_proposals_clear(sct_work_proposals *proposals) {
    while (proposals->count > 0)
        sct_layout_destroy((sct_layout *)proposals->work[--proposals->count].layout);
    free(proposals->work);
}

/* ---- The search ---- */

static bool assigns(const sct_grid_search *search) {
    return search->product->ranks <= SCT_MOST_ASSIGNED;
}

/* Proposes the boxes with the ranks numbered along the dimensions in one order, the first of which
 * varies fastest. */
static sct_status try_order(sct_grid_search *search, const sct_boxes *boxes,
                            const sct_layout *plain, const int order[SCT_DIMS]) {
    int step[SCT_DIMS];
    sct_stride stride[SCT_DIMS];
    for (int i = 0, all = 1; i < SCT_DIMS; all *= boxes->cut[order[i++]]->parts)
        step[order[i]] = all;
    for (int i = 0; i < SCT_DIMS; i++) {
        int dim = boxes->order[SCT_DIMS - 1 - i];
        stride[i] = (sct_stride){step[dim], boxes->cut[dim]->parts};
    }
    sct_layout *layout = NULL;
    int strides = sct_strides_join(stride, SCT_DIMS);
    if (strides < 2)
        return propose(search, boxes, (sct_layout *)sct_layout_hold(plain));
    sct_status status = sct_layout_map_strides(plain, stride, strides, &layout);
    return status ? status : propose(search, boxes, layout);
}

static sct_status try_orders(sct_grid_search *search, const sct_boxes *boxes) {
    static const int orders[][SCT_DIMS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                           {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    sct_layout *plain;
    sct_status status = make_layout(boxes, &plain);
    if (status)
        return status;
    search->counted++;
    for (size_t i = 0; i < sizeof orders / sizeof *orders && !status; i++)
        status = try_order(search, boxes, plain, orders[i]);
    sct_layout_destroy(plain);
    return status;
}

/* Counts what each rank would move with each box. False, and the others are left out, once a rank
 * finds no box left with which it moves less than is allowed. */
static bool can_move_less(sct_grid_search *search, const sct_boxes *boxes, double allowed) {
    sct_matching matching;
    bool can = true;
    sct_matching_begin(search->product->ranks, &matching);
    box_costs_begin(&search->costs, boxes);
    for (int rank = 0; rank < search->product->ranks && can; rank++)
        can = sct_matching_add(&matching, rank, box_costs_count(&search->costs, boxes, rank),
                               allowed);
    return can;
}

static sct_status propose_assigned(sct_grid_search *search, const sct_boxes *boxes,
                                   const int *rank_of) {
    sct_layout *plain, *layout;
    bool same = true;
    sct_status status = make_layout(boxes, &plain);
    if (status)
        return status;
    for (int box = 0; box < boxes->count; box++)
        same &= rank_of[box] == box;
    if (same)
        return propose(search, boxes, plain);
    status = sct_layout_map_ranks(plain, rank_of, &layout);
    sct_layout_destroy(plain);
    return status ? status : propose(search, boxes, layout);
}

/* Assigns boxes to ranks; proposes the result if it is better than all before. */
static sct_status assign_boxes(sct_grid_search *search, const sct_boxes *boxes) {
    int ranks = search->product->ranks, box_of[SCT_MOST_ASSIGNED], rank_of[SCT_MOST_ASSIGNED] = {0};
    int64_t size[SCT_DIMS];
    double most = 0, extent[SCT_DIMS];
    sct_status status = SCT_OK;
    for (int dim = 0; dim < SCT_DIMS && !status; dim++) {
        size[dim] = boxes->cut[dim]->largest;
        extent[dim] = (double)size[dim];
        status = sct_work_cut_count(search->product, boxes->cut[dim]);
    }
    if (status)
        return status;
    search->counted++;
    double work = computing(search, size),
           price = sct_work_box_price(search->product, search->limit, extent);
    double allowed = (search->best / price - work) / seconds_per_byte(search);
    if (!can_move_less(search, boxes, allowed))
        return SCT_OK;
    if ((status = sct_assign(ranks, search->costs.cost, box_of)))
        return status;
    for (int rank = 0; rank < ranks; rank++) {
        int box = box_of[rank];
        most = sct_larger(most, search->costs.cost[(size_t)rank * (size_t)ranks + (size_t)box]);
        rank_of[box] = rank;
    }
    double seconds = (work + most * seconds_per_byte(search)) * price;
    if (seconds >= search->best)
        return SCT_OK;
    search->best = seconds;
    return propose_assigned(search, boxes, rank_of);
}

/* True if replicas can share a dimension in this way: in a range each, or in blocks dealt from the
 * first replica on. */
static bool can_share(const sct_work_cut *cut) {
    const sct_axis *axis = &cut->axis;
    return cut->style == SCT_CUT_EQUAL ||
           (!axis->bounds && axis->source == 0 && axis->first == axis->block);
}

/* The dimension that replicas share, preferably one that is cut equally. SCT_DIMS: there is none.
 */
static int free_dim_of(const sct_boxes *boxes) {
    static const int preferred[SCT_DIMS] = {SCT_DIM_K, SCT_DIM_M, SCT_DIM_N};
    for (int any = 0; any < 2; any++)
        for (int i = 0; i < SCT_DIMS; i++) {
            const sct_work_cut *cut = boxes->cut[preferred[i]];
            if (cut->style == SCT_CUT_EQUAL || (any && can_share(cut)))
                return preferred[i];
        }
    return SCT_DIMS;
}

static sct_status try_styles(sct_grid_search *search, const sct_work_grid *grid, int dim,
                             sct_boxes *boxes) {
    sct_status status = SCT_OK;
    if (dim == SCT_DIMS) {
        int free_dim = free_dim_of(boxes);
        if (free_dim == SCT_DIMS)
            return SCT_OK;
        boxes->shape = free_dim == SCT_DIM_K   ? SCT_MAT_C
                       : free_dim == SCT_DIM_M ? SCT_MAT_B
                                               : SCT_MAT_A;
        boxes->order[0] = free_dim;
        boxes->order[1] = sct_matrix_dim(boxes->shape, 0);
        boxes->order[2] = sct_matrix_dim(boxes->shape, 1);
        boxes->count = grid->parts[0] * grid->parts[1] * grid->parts[2];
        return assigns(search) ? assign_boxes(search, boxes) : try_orders(search, boxes);
    }
    for (sct_cut_style style = 0; style < SCT_CUT_STYLES && !status; style++) {
        status = sct_work_cuts_find(&search->cuts, dim, grid->parts[dim], style, &boxes->cut[dim]);
        if (!status && boxes->cut[dim])
            status = try_styles(search, grid, dim + 1, boxes);
    }
    return status;
}

static sct_status search_grids(sct_grid_search *search) {
    sct_status status =
        assigns(search) ? box_costs_create(search->product, &search->costs) : SCT_OK;
    search->most = assigns(search) ? SCT_COUNTED_GRIDS : SCT_NUMBERED_GRIDS;
    list_grids(search);
    for (int i = 0; i < search->grids && !status; i++) {
        sct_boxes boxes;
        if (search->grid[i].bound >= search->best || search->counted >= search->most)
            break;
        status = try_styles(search, &search->grid[i], 0, &boxes);
    }
    return status;
}

sct_status sct_work_propose(const sct_product *product, const sct_machine *machine, double limit,
                            sct_work_proposals *proposals) {
    *proposals = (sct_work_proposals){.count = 0};
    if (sct_product_empty(product))
        return SCT_OK;
    sct_grid_search *search = calloc(1, sizeof *search);
    proposals->work = malloc(MOST_PROPOSALS * sizeof *proposals->work);
    sct_status status =
        search && proposals->work ? SCT_OK : sct_no_memory("the choice of a work layout");
    if (!status) {
        search->product = search->cuts.product = product;
        search->machine = machine;
        search->limit = limit;
        search->best = INFINITY;
        search->proposals = proposals;
        status = search_grids(search);
        sct_work_cuts_clear(&search->cuts);
        box_costs_clear(&search->costs);
    }
    free(search);
    if (status)
        sct_work_proposals_clear(proposals);
    return status;
}
