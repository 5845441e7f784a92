/* estimate.c - workloads estimated from the layouts alone. */
#include "cost/estimate.h"

#include "base/checked.h"
#include "plan/contribution.h"

#include <math.h>

/* Sampled ranks, and sampled members of a group. */
enum { SAMPLE = 32, MEMBERS = 64 };
/* As src/planner/cut.c cuts k of remote operands, and src/layout/pieces.h calls pieces thin. */
enum { PANEL = 256, FEW = 8, THIN = 128 };
/* Ratios below which two estimates are equal: of the slowest rank, and of communication. */
static const double time_margin = 1.125, moving_margin = 1.004;
/* Ranks that move more than the mean also wait for each other on shared links: by this factor,
 * fitted to simulated times of random layouts. */
static const double waiting = 1.5;

/* A slice that a rank needs, seen from the layout that stores it: in each dimension, the indices
 * that another axis deals to one coordinate, or a range. */
typedef struct sct_wanted_slice {
    const sct_layout *layout;
    int home; /* home replica */
    sct_dimension dim[2];
    int side[2];  /* the layout's side in the dimension */
    int coord[2]; /* coordinate on the other side; -1: the range */
    bool rows[2]; /* true if the dimension runs along the layout's rows */
    int reach;    /* ranks per node that share this matrix's memory */
    double elements;
} sct_wanted_slice;

/* The ranks in a group of a level, for a matrix: parts that a rank cannot see come from a farther
 * level. */
static int64_t group_of(const sct_machine *machine, int level, int ranks, int reach) {
    int64_t group = sct_level_group(machine, level, ranks);
    bool last = level == machine->levels - 1;
    return machine->level[level].by_rank && !last ? sct_min(group, reach) : group;
}

static double below(const sct_dimension *d, int side, int coord) {
    const sct_axis *axis = d->axis[side];
    return (double)(sct_axis_below(axis, coord, d->range.hi + d->offset[side]) -
                    sct_axis_below(axis, coord, d->range.lo + d->offset[side]));
}

static double common(const sct_wanted_slice *want, int which, sct_cell cell) {
    const sct_dimension *d = &want->dim[which];
    int side = want->side[which], other = want->coord[which];
    int own = want->rows[which] ? cell.row : cell.col;
    if (other < 0)
        return below(d, side, own);
    return (double)sct_dimension_common(d, side ? other : own, side ? own : other);
}

/* The number of elements at a rank. */
static double elements_at(const sct_wanted_slice *want, int rank) {
    double sum = 0;
    if (sct_layout_home(want->layout, rank) != want->home)
        return 0;
    for (int block = 0; block < sct_layout_cells(want->layout, rank); block++) {
        sct_cell cell = sct_layout_cell(want->layout, rank, block);
        double first = common(want, 0, cell);
        sum += first > 0 ? first * common(want, 1, cell) : 0;
    }
    return sum;
}

static double held_by_group(const sct_wanted_slice *want, int64_t group, int ranks, int rank) {
    int64_t lo = rank / group * group, count = sct_min(group, ranks - lo);
    int looked_at = (int)sct_min(count, MEMBERS);
    double sum = 0;
    for (int i = 0; i < looked_at; i++)
        sum += elements_at(want, (int)(lo + sct_share(count, looked_at, i)));
    return sum * (double)count / looked_at;
}

/* Finds the elements at the other ranks of each level. Returns the local ones. */
static double elements_by_level(const sct_wanted_slice *want, const sct_machine *machine, int ranks,
                                int rank, double elements[SCT_MACHINE_LEVELS]) {
    double own = elements_at(want, rank), before = own;
    for (int level = 0; level < machine->levels; level++) {
        int64_t group = group_of(machine, level, ranks, want->reach);
        double all = group == ranks ? want->elements : held_by_group(want, group, ranks, rank);
        elements[level] = fmax(0, all - before);
        before = fmax(all, before);
    }
    return own;
}

/* True if all ranks in a group of a level share a matrix's memory. */
static bool is_near_in_group(const sct_product *product, const sct_machine *machine, int matrix,
                             int level) {
    int reach = product->ranks_per_node[matrix];
    return group_of(machine, level, product->ranks, reach) <= reach;
}

/* The dimension that a moving matrix shares with the stationary one. */
static int shared_dim(int stay, int matrix) {
    return sct_matrix_dim(matrix, sct_matrix_dim(matrix, 0) == sct_free_dim(stay));
}

static int coords(const sct_product *product, int matrix, int dim) {
    sct_dimension d = sct_product_dimension(product, dim);
    return d.axis[sct_matrix_side(matrix, dim)]->coords;
}

static sct_range share_of(const sct_product *product, int stay, int rank) {
    return sct_product_share(product, stay, sct_layout_home(product->layout[stay], rank));
}

/* The number of owners of a matrix among whom a stationary cell, or a replica's share, is split in
 * a dimension. */
static double owner_parts(const sct_product *product, int stay, int matrix, int dim) {
    int among =
        dim == sct_free_dim(stay) ? product->layout[stay]->replicas : coords(product, stay, dim);
    return fmax(1, (double)coords(product, matrix, dim) / among);
}

static sct_wanted_slice want_of(const sct_product *product, int stay, int matrix, int rank,
                                sct_cell cell) {
    sct_wanted_slice want = {.layout = product->layout[matrix],
                             .home = sct_layout_home(product->layout[matrix], rank),
                             .reach = product->ranks_per_node[matrix]};
    int dims[2] = {shared_dim(stay, matrix), sct_free_dim(stay)};
    for (int i = 0; i < 2; i++) {
        want.dim[i] = sct_product_dimension(product, dims[i]);
        want.side[i] = sct_matrix_side(matrix, dims[i]);
        want.rows[i] = want.dim[i].axis[want.side[i]] == &want.layout->rows;
        want.coord[i] = -1;
    }
    want.coord[0] = sct_product_coord(product, stay, dims[0], cell);
    want.dim[1].range = share_of(product, stay, rank);
    want.elements = below(&want.dim[0], !want.side[0], want.coord[0]) *
                    (double)(want.dim[1].range.hi - want.dim[1].range.lo);
    return want;
}

static void book(const sct_product *product, const sct_machine *machine, int matrix,
                 const double elements[SCT_MACHINE_LEVELS], double messages, double all,
                 sct_workload *work) {
    double bytes = (double)sct_type_bytes(product->type[matrix]);
    for (int level = 0; level < machine->levels; level++) {
        sct_level_traffic *traffic = &work->traffic[level];
        bool in_place = is_near_in_group(product, machine, matrix, level);
        *(matrix == SCT_MAT_C ? &traffic->added
          : in_place          ? &traffic->read
                              : &traffic->got) += elements[level] * bytes;
        traffic->messages += all > 0 && !in_place ? messages * elements[level] / all : 0;
    }
}

/* Adds what others fetch from a rank's part, or add to it: each element once per coordinate of the
 * stationary matrix in the dimension that the moving one lacks. */
static void add_serving(const sct_product *product, const sct_machine *machine, int stay,
                        int matrix, int rank, double own, sct_workload *work) {
    const sct_layout *layout = product->layout[matrix];
    int across = sct_free_dim(matrix);
    double part = 0, others = (double)product->ranks - 1, before = 1;
    for (int block = 0; block < sct_layout_cells(layout, rank); block++) {
        sct_part p = sct_layout_part(layout, &product->view[matrix], rank, block);
        part += (double)p.lines * (double)p.count;
    }
    double given = fmax(0, part * coords(product, stay, across) / layout->replicas - own) *
                   (double)sct_type_bytes(product->type[matrix]);
    for (int level = 0; level < machine->levels && others > 0; level++) {
        double group =
            (double)group_of(machine, level, product->ranks, product->ranks_per_node[matrix]);
        work->traffic[level].given += given * (group - before) / others;
        before = group;
    }
}

/* The extent of a stationary cell in a dimension; of the free dimension, the replica's share. */
static double extent(const sct_product *product, int stay, int dim, int rank, sct_cell cell) {
    sct_dimension d = sct_product_dimension(product, dim);
    if (dim != sct_free_dim(stay))
        return below(&d, sct_matrix_side(stay, dim), sct_product_coord(product, stay, dim, cell));
    sct_range share = share_of(product, stay, rank);
    return (double)(share.hi - share.lo);
}

void sct_workload_add_moving(const sct_product *product, const sct_machine *machine, int stay,
                             int matrix, int rank, sct_workload *work) {
    const sct_layout *layout = product->layout[stay];
    double own = 0;
    double messages = owner_parts(product, stay, matrix, shared_dim(stay, matrix)) *
                      owner_parts(product, stay, matrix, sct_free_dim(stay));
    for (int block = 0; block < sct_layout_cells(layout, rank); block++) {
        double elements[SCT_MACHINE_LEVELS];
        sct_cell cell = sct_layout_cell(layout, rank, block);
        if (extent(product, stay, sct_free_dim(matrix), rank, cell) == 0)
            continue;
        sct_wanted_slice want = want_of(product, stay, matrix, rank, cell);
        own += elements_by_level(&want, machine, product->ranks, rank, elements);
        book(product, machine, matrix, elements, messages, want.elements, work);
    }
    add_serving(product, machine, stay, matrix, rank, own, work);
    /* Other ranks add to it too: contributions are stored in workspace, then added. */
    if (matrix == SCT_MAT_C && !sct_product_one_writer(product, stay))
        work->copied += 2 * own * (double)sct_type_bytes(product->type[matrix]);
}

/* True if splitting a dimension by the owners of C would cost products more than sending
 * contributions later. */
static bool is_gathering_cheaper(const sct_product *product, const sct_machine *machine, int stay,
                                 int matrix, int dim, int rank, sct_cell cell) {
    double count = owner_parts(product, stay, matrix, dim);
    double size = extent(product, stay, dim, rank, cell);
    double again = (count - 1) * extent(product, stay, SCT_DIM_K, rank, cell);
    return matrix == SCT_MAT_C && again > 0 &&
           again >= size * sct_contribution_gather_cost(product, machine, dim, count, size);
}

/* True if the owners of a moving matrix are ignored in a dimension, and one panel is gathered:
 * because that is cheaper, or pieces would be too thin for the BLAS. */
static bool is_gathered(const sct_product *product, const sct_machine *machine, int stay,
                        int matrix, int dim, int rank, sct_cell cell) {
    int shared = shared_dim(stay, matrix);
    double count = owner_parts(product, stay, matrix, shared);
    return is_gathering_cheaper(product, machine, stay, matrix, dim, rank, cell) ||
           is_gathering_cheaper(product, machine, stay, matrix, shared, rank, cell) ||
           (count > FEW && extent(product, stay, shared, rank, cell) < THIN * count);
}

/* True if the rank needs remote elements of a moving matrix. */
static bool needs_fetch(const sct_product *product, int stay, int matrix, int rank, sct_cell cell) {
    if (matrix == stay || sct_product_all_near(product, matrix))
        return false;
    sct_wanted_slice want = want_of(product, stay, matrix, rank, cell);
    return elements_at(&want, rank) < want.elements;
}

/* True if the free dimension of each owner is cut in halves, as src/planner/cut.c does. */
static bool uses_halves(const sct_product *product, int stay, int dim, int rank, sct_cell cell) {
    int across = sct_product_line_dim(product);
    bool alone = stay != SCT_MAT_C && dim == sct_free_dim(stay) && dim != across;
    for (int side = 0; side < 2 && alone; side++) {
        int matrix = sct_dim_matrix(dim, side);
        alone = needs_fetch(product, stay, matrix, rank, cell) &&
                coords(product, matrix, shared_dim(stay, matrix)) == 1;
    }
    return alone &&
           extent(product, stay, SCT_DIM_K, rank, cell) > extent(product, stay, across, rank, cell);
}

/* The number of pieces of a dimension: remote slices are used owner by owner and in panels, unless
 * contributions are gathered over owners. */
static double piece_count(const sct_product *product, const sct_machine *machine, int stay, int dim,
                          int rank, sct_cell cell, double size) {
    double count = 1, depth = extent(product, stay, SCT_DIM_K, rank, cell);
    for (int side = 0; side < 2; side++) {
        int matrix = sct_dim_matrix(dim, side);
        if (!needs_fetch(product, stay, matrix, rank, cell))
            continue;
        if (!is_gathered(product, machine, stay, matrix, dim, rank, cell))
            count = fmax(count, owner_parts(product, stay, matrix, dim));
        else if (matrix == SCT_MAT_C && dim == sct_free_dim(stay))
            count = fmax(count, sct_contribution_pieces(product, machine, dim, size, depth));
        else if (matrix == SCT_MAT_C)
            count = fmax(count, ceil(size / SCT_CONTRIBUTION_LARGE));
        if (dim == SCT_DIM_K)
            count = fmax(count, floor(size / PANEL));
    }
    if (count > 1 && uses_halves(product, stay, dim, rank, cell))
        count *= sct_contribution_halves(size / count);
    return fmin(count, size);
}

void sct_workload_add_product(const sct_product *product, const sct_machine *machine, int stay,
                              int rank, sct_workload *work) {
    const sct_layout *layout = product->layout[stay];
    for (int block = 0; block < sct_layout_cells(layout, rank); block++) {
        sct_cell cell = sct_layout_cell(layout, rank, block);
        double steps = 1;
        int64_t size[SCT_DIMS];
        for (int dim = 0; dim < SCT_DIMS; dim++) {
            double all = extent(product, stay, dim, rank, cell);
            double count = piece_count(product, machine, stay, dim, rank, cell, all);
            size[dim] = (int64_t)ceil(all / fmax(1, count));
            steps *= count;
        }
        if (steps == 0)
            continue;
        work->steps += steps;
        work->computing +=
            steps * sct_machine_multiply(machine, product->type[SCT_MAT_A], size[SCT_DIM_M],
                                         size[SCT_DIM_N], size[SCT_DIM_K]);
    }
}

static void get(const sct_machine *machine, int ranks, int rank, int other, double bytes,
                sct_workload *work) {
    int level = sct_level_between(machine, ranks, rank, other);
    work->traffic[level].got += bytes;
    work->traffic[level].messages++;
}

/* Fetches the same bytes from the same cell of each other replica. */
static void get_from_replicas(const sct_layout *layout, const sct_machine *machine, int ranks,
                              int rank, int block, double bytes, sct_workload *work) {
    sct_cell cell = sct_layout_cell(layout, rank, block);
    int home = sct_layout_home(layout, rank);
    for (int replica = 0; replica < layout->replicas; replica++)
        if (replica != home)
            get(machine, ranks, rank, sct_layout_place(layout, replica, cell).rank, bytes, work);
}

/* Each replica reduces its share of the lines, then copies the other shares. */
void sct_workload_add_reduction(const sct_product *product, const sct_machine *machine, int rank,
                                sct_workload *work) {
    const sct_layout *c = product->layout[SCT_MAT_C];
    for (int block = 0; block < sct_layout_cells(c, rank); block++) {
        sct_part part = sct_layout_part(c, &product->view[SCT_MAT_C], rank, block);
        double bytes = (double)part.lines * (double)part.count *
                       (double)sct_type_bytes(product->type[SCT_MAT_C]);
        get_from_replicas(c, machine, product->ranks, rank, block, 2 * bytes / c->replicas, work);
    }
}

void sct_workload_add_replication(const sct_layout *layout, sct_type type,
                                  const sct_machine *machine, int ranks, int rank,
                                  sct_workload *work) {
    for (int block = 0; block < sct_layout_cells(layout, rank); block++) {
        sct_cell cell = sct_layout_cell(layout, rank, block);
        double bytes = (double)sct_layout_lines(layout, cell) *
                       (double)sct_layout_line_size(layout, cell) * (double)sct_type_bytes(type);
        get_from_replicas(layout, machine, ranks, rank, block, bytes / layout->replicas, work);
    }
}

void sct_workload_add_copy(const sct_layout *from, const sct_layout *to, sct_type type,
                           const sct_machine *machine, int ranks, int rank, sct_workload *work) {
    for (int block = 0; block < sct_layout_cells(to, rank); block++) {
        sct_cell cell = sct_layout_cell(to, rank, block);
        double elements[SCT_MACHINE_LEVELS];
        sct_wanted_slice want = {
            .layout = from,
            .home = sct_layout_home(from, rank),
            .dim = {{.axis = {&from->rows, &to->rows}, .range = {0, from->rows.extent}},
                    {.axis = {&from->cols, &to->cols}, .range = {0, from->cols.extent}}},
            .coord = {cell.row, cell.col},
            .rows = {true, false},
            .reach = ranks,
            .elements =
                (double)sct_layout_lines(to, cell) * (double)sct_layout_line_size(to, cell)};
        elements_by_level(&want, machine, ranks, rank, elements);
        for (int level = 0; level < machine->levels; level++)
            work->traffic[level].got += elements[level] * (double)sct_type_bytes(type);
    }
}

int sct_sample_rank(int ranks, int sample, int place) {
    /* A stride without common divisors with grids, so that a sample is not all in one column. */
    const int64_t step = 2654435761;
    return sample < ranks ? (int)(place * step % ranks) : place;
}

sct_estimate sct_estimate_find(const sct_product *product, const sct_machine *machine, int stay) {
    int sample = (int)sct_min(product->ranks, SAMPLE);
    sct_estimate estimate = {0, 0};
    double most = 0;
    for (int i = 0; i < sample; i++) {
        int rank = sct_sample_rank(product->ranks, sample, i);
        sct_workload work = {.computing = 0};
        sct_workload_add_product(product, machine, stay, rank, &work);
        for (int matrix = 0; matrix < SCT_MATS; matrix++)
            if (matrix != stay)
                sct_workload_add_moving(product, machine, stay, matrix, rank, &work);
        work.steps = 1; /* overlap is not modelled here */
        estimate.slowest =
            fmax(estimate.slowest, sct_workload_seconds(machine, product->ranks, &work));
        work.computing = 0;
        double moving = sct_workload_seconds(machine, product->ranks, &work);
        estimate.moving += moving;
        most = fmax(most, moving);
    }
    estimate.slowest += waiting * (most - estimate.moving / sample);
    return estimate;
}

bool sct_estimate_better(sct_estimate one, sct_estimate other) {
    if (one.slowest * time_margin < other.slowest || other.slowest * time_margin < one.slowest)
        return one.slowest < other.slowest;
    return one.moving * moving_margin < other.moving;
}
