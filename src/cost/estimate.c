/* estimate.c - what ranks have to do for a product, reckoned from the layouts alone. */
#include "cost/estimate.h"

#include "base/checked.h"
#include "plan/contribution.h"

#include <math.h>

/* Ranks that are looked at for all; members of a group that are, for the group. */
enum { SAMPLE = 32, MEMBERS = 64 };
/* As src/plan/fit.c cuts k of what is beyond reach, and src/plan/slice.c merges thin pieces. */
enum { PANEL = 256, FEW = 8, THIN = 128 };
/* Times that differ by less are alike: of the slowest rank; and in what is moved. */
static const double sure = 1.125, fine = 1.004;
/* Where some ranks move more than others, those of them that want the same link at once wait: about
 * so much longer than the mean, as the simulator has it for random layouts. */
static const double waiting = 1.5;

/* A slice that a rank wants, in the layout that has it: in each of its two dimensions the indices
 * that another axis gives to one coordinate, or a range. */
typedef struct sct_want {
    const sct_layout *layout;
    int home; /* the replica */
    sct_dimension dim[2];
    int side[2];  /* of the layout in the dimension */
    int coord[2]; /* on the other side; -1: the range */
    bool rows[2]; /* whether the dimension is the layout's rows */
    int reach;    /* ranks that see each other's parts */
    double elements;
} sct_want;

/* How many ranks a group of a level has for a matrix: what a rank would copy itself but cannot see
 * comes as from further away. */
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

static double common(const sct_want *want, int which, sct_cell cell) {
    const sct_dimension *d = &want->dim[which];
    int side = want->side[which], other = want->coord[which];
    int own = want->rows[which] ? cell.row : cell.col;
    if (other < 0)
        return below(d, side, own);
    return (double)sct_dimension_common(d, side ? other : own, side ? own : other);
}

/* How many of the elements a rank has. */
static double held(const sct_want *want, int rank) {
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

static double held_by_group(const sct_want *want, int64_t group, int ranks, int rank) {
    int64_t lo = rank / group * group, count = sct_min(group, ranks - lo);
    int looked_at = (int)sct_min(count, MEMBERS);
    double sum = 0;
    for (int i = 0; i < looked_at; i++)
        sum += held(want, (int)(lo + sct_share(count, looked_at, i)));
    return sum * (double)count / looked_at;
}

/* The elements that are with the others of each level; returns those that the rank has itself. */
static double spread(const sct_want *want, const sct_machine *machine, int ranks, int rank,
                     double elements[SCT_MACHINE_LEVELS]) {
    double own = held(want, rank), before = own;
    for (int level = 0; level < machine->levels; level++) {
        int64_t group = group_of(machine, level, ranks, want->reach);
        double all = group == ranks ? want->elements : held_by_group(want, group, ranks, rank);
        elements[level] = fmax(0, all - before);
        before = fmax(all, before);
    }
    return own;
}

/* Whether all ranks of one group of a level see each other's parts of a matrix. */
static bool near(const sct_product *product, const sct_machine *machine, int matrix, int level) {
    int reach = product->ranks_per_node[matrix];
    return group_of(machine, level, product->ranks, reach) <= reach;
}

/* The dimension that a moving matrix shares with the one that stays. */
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

/* In how many parts the owners of a matrix cut what a cell of the stationary one, or a replica,
 * has in a dimension. */
static double parts(const sct_product *product, int stay, int matrix, int dim) {
    int among =
        dim == sct_free_dim(stay) ? product->layout[stay]->replicas : coords(product, stay, dim);
    return fmax(1, (double)coords(product, matrix, dim) / among);
}

static sct_want want_of(const sct_product *product, int stay, int matrix, int rank, sct_cell cell) {
    sct_want want = {.layout = product->layout[matrix],
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
                 sct_load *load) {
    double bytes = (double)sct_type_bytes(product->type[matrix]);
    for (int level = 0; level < machine->levels; level++) {
        sct_flow *flow = &load->flow[level];
        bool in_place = near(product, machine, matrix, level);
        *(matrix == SCT_MAT_C ? &flow->added
          : in_place          ? &flow->read
                              : &flow->got) += elements[level] * bytes;
        flow->messages += all > 0 && !in_place ? messages * elements[level] / all : 0;
    }
}

/* What others take from a rank's part, or add to it: each element is wanted once for each
 * coordinate of the stationary matrix in the dimension that the moving one lacks. */
static void give(const sct_product *product, const sct_machine *machine, int stay, int matrix,
                 int rank, double own, sct_load *load) {
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
        load->flow[level].given += given * (group - before) / others;
        before = group;
    }
}

/* How many indices of a dimension a cell of the stationary matrix has; of the free one, its
 * replica. */
static double extent(const sct_product *product, int stay, int dim, int rank, sct_cell cell) {
    sct_dimension d = sct_product_dimension(product, dim);
    if (dim != sct_free_dim(stay))
        return below(&d, sct_matrix_side(stay, dim), sct_product_coord(product, stay, dim, cell));
    sct_range share = share_of(product, stay, rank);
    return (double)(share.hi - share.lo);
}

void sct_load_move(const sct_product *product, const sct_machine *machine, int stay, int matrix,
                   int rank, sct_load *load) {
    const sct_layout *layout = product->layout[stay];
    double own = 0;
    double messages = parts(product, stay, matrix, shared_dim(stay, matrix)) *
                      parts(product, stay, matrix, sct_free_dim(stay));
    for (int block = 0; block < sct_layout_cells(layout, rank); block++) {
        double elements[SCT_MACHINE_LEVELS];
        sct_cell cell = sct_layout_cell(layout, rank, block);
        if (extent(product, stay, sct_free_dim(matrix), rank, cell) == 0)
            continue;
        sct_want want = want_of(product, stay, matrix, rank, cell);
        own += spread(&want, machine, product->ranks, rank, elements);
        book(product, machine, matrix, elements, messages, want.elements, load);
    }
    give(product, machine, stay, matrix, rank, own, load);
    /* What others add to, too, the rank stores apart and then adds. */
    if (matrix == SCT_MAT_C && !sct_product_one_writer(product, stay))
        load->copied += 2 * own * (double)sct_type_bytes(product->type[matrix]);
}

/* Whether it would cost products more to part a dimension by the owners of C than to let sums leave
 * later. */
static bool dear(const sct_product *product, const sct_machine *machine, int stay, int matrix,
                 int dim, int rank, sct_cell cell) {
    double count = parts(product, stay, matrix, dim);
    double size = extent(product, stay, dim, rank, cell);
    double again = (count - 1) * extent(product, stay, SCT_DIM_K, rank, cell);
    return matrix == SCT_MAT_C && again > 0 &&
           again >= size * sct_leave_cost(product, machine, dim, count, size);
}

/* Whether the owners of a moving matrix do not part the pieces of a dimension: these would be dear;
 * or those of the dimension that it shares with the one that stays, or too thin for the BLAS, so
 * that one panel is brought together from all owners. */
static bool merges(const sct_product *product, const sct_machine *machine, int stay, int matrix,
                   int dim, int rank, sct_cell cell) {
    int shared = shared_dim(stay, matrix);
    double count = parts(product, stay, matrix, shared);
    return dear(product, machine, stay, matrix, dim, rank, cell) ||
           dear(product, machine, stay, matrix, shared, rank, cell) ||
           (count > FEW && extent(product, stay, shared, rank, cell) < THIN * count);
}

/* Whether a rank has not all of a moving matrix that it needs, and no pointer to the rest. */
static bool travels(const sct_product *product, int stay, int matrix, int rank, sct_cell cell) {
    if (matrix == stay || sct_product_all_near(product, matrix))
        return false;
    sct_want want = want_of(product, stay, matrix, rank, cell);
    return held(&want, rank) < want.elements;
}

/* Whether owners of a dimension have halves of what each has used apart, as in src/plan/tour.c. */
static bool halves(const sct_product *product, int stay, int dim, int rank, sct_cell cell) {
    int across = sct_product_line_dim(product);
    bool alone = stay != SCT_MAT_C && dim == sct_free_dim(stay) && dim != across;
    for (int side = 0; side < 2 && alone; side++) {
        int matrix = sct_dim_matrix(dim, side);
        alone = travels(product, stay, matrix, rank, cell) &&
                coords(product, matrix, shared_dim(stay, matrix)) == 1;
    }
    return alone &&
           extent(product, stay, SCT_DIM_K, rank, cell) > extent(product, stay, across, rank, cell);
}

/* In how many pieces a dimension is used: what is beyond reach comes from, or goes to, one owner at
 * a time, and in panels; but for sums that leave for all. */
static double pieces(const sct_product *product, const sct_machine *machine, int stay, int dim,
                     int rank, sct_cell cell, double size) {
    double count = 1, depth = extent(product, stay, SCT_DIM_K, rank, cell);
    for (int side = 0; side < 2; side++) {
        int matrix = sct_dim_matrix(dim, side);
        if (!travels(product, stay, matrix, rank, cell))
            continue;
        if (!merges(product, machine, stay, matrix, dim, rank, cell))
            count = fmax(count, parts(product, stay, matrix, dim));
        else if (matrix == SCT_MAT_C && dim == sct_free_dim(stay))
            count = fmax(count, sct_leave_pieces(product, machine, dim, size, depth));
        else if (matrix == SCT_MAT_C)
            count = fmax(count, ceil(size / SCT_LEAVE_LARGE));
        if (dim == SCT_DIM_K)
            count = fmax(count, floor(size / PANEL));
    }
    if (count > 1 && halves(product, stay, dim, rank, cell))
        count *= sct_leave_halves(size / count);
    return fmin(count, size);
}

void sct_load_multiply(const sct_product *product, const sct_machine *machine, int stay, int rank,
                       sct_load *load) {
    const sct_layout *layout = product->layout[stay];
    for (int block = 0; block < sct_layout_cells(layout, rank); block++) {
        sct_cell cell = sct_layout_cell(layout, rank, block);
        double steps = 1;
        int64_t size[SCT_DIMS];
        for (int dim = 0; dim < SCT_DIMS; dim++) {
            double all = extent(product, stay, dim, rank, cell);
            double count = pieces(product, machine, stay, dim, rank, cell, all);
            size[dim] = (int64_t)ceil(all / fmax(1, count));
            steps *= count;
        }
        if (steps == 0)
            continue;
        load->steps += steps;
        load->computing +=
            steps * sct_machine_multiply(machine, product->type[SCT_MAT_A], size[SCT_DIM_M],
                                         size[SCT_DIM_N], size[SCT_DIM_K]);
    }
}

static void get(const sct_machine *machine, int ranks, int rank, int other, double bytes,
                sct_load *load) {
    int level = sct_level_between(machine, ranks, rank, other);
    load->flow[level].got += bytes;
    load->flow[level].messages++;
}

/* The same bytes from the same cell of each other replica. */
static void get_from_replicas(const sct_layout *layout, const sct_machine *machine, int ranks,
                              int rank, int block, double bytes, sct_load *load) {
    sct_cell cell = sct_layout_cell(layout, rank, block);
    int home = sct_layout_home(layout, rank);
    for (int replica = 0; replica < layout->replicas; replica++)
        if (replica != home)
            get(machine, ranks, rank, sct_layout_place(layout, replica, cell).rank, bytes, load);
}

/* Each replica sums its share of the lines of all, then takes the shares of the others. */
void sct_load_reduce(const sct_product *product, const sct_machine *machine, int rank,
                     sct_load *load) {
    const sct_layout *c = product->layout[SCT_MAT_C];
    for (int block = 0; block < sct_layout_cells(c, rank); block++) {
        sct_part part = sct_layout_part(c, &product->view[SCT_MAT_C], rank, block);
        double bytes = (double)part.lines * (double)part.count *
                       (double)sct_type_bytes(product->type[SCT_MAT_C]);
        get_from_replicas(c, machine, product->ranks, rank, block, 2 * bytes / c->replicas, load);
    }
}

void sct_load_replicate(const sct_layout *layout, sct_type type, const sct_machine *machine,
                        int ranks, int rank, sct_load *load) {
    for (int block = 0; block < sct_layout_cells(layout, rank); block++) {
        sct_cell cell = sct_layout_cell(layout, rank, block);
        double bytes = (double)sct_layout_lines(layout, cell) *
                       (double)sct_layout_line_size(layout, cell) * (double)sct_type_bytes(type);
        get_from_replicas(layout, machine, ranks, rank, block, bytes / layout->replicas, load);
    }
}

void sct_load_copy(const sct_layout *from, const sct_layout *to, sct_type type,
                   const sct_machine *machine, int ranks, int rank, sct_load *load) {
    for (int block = 0; block < sct_layout_cells(to, rank); block++) {
        sct_cell cell = sct_layout_cell(to, rank, block);
        double elements[SCT_MACHINE_LEVELS];
        sct_want want = {
            .layout = from,
            .home = sct_layout_home(from, rank),
            .dim = {{.axis = {&from->rows, &to->rows}, .range = {0, from->rows.extent}},
                    {.axis = {&from->cols, &to->cols}, .range = {0, from->cols.extent}}},
            .coord = {cell.row, cell.col},
            .rows = {true, false},
            .reach = ranks,
            .elements =
                (double)sct_layout_lines(to, cell) * (double)sct_layout_line_size(to, cell)};
        spread(&want, machine, ranks, rank, elements);
        for (int level = 0; level < machine->levels; level++)
            load->flow[level].got += elements[level] * (double)sct_type_bytes(type);
    }
}

int sct_sample_rank(int ranks, int sample, int place) {
    /* A step that fits no grid, so that not all are in one column of it. */
    const int64_t step = 2654435761;
    return sample < ranks ? (int)(place * step % ranks) : place;
}

sct_estimate sct_estimate_find(const sct_product *product, const sct_machine *machine, int stay) {
    int sample = (int)sct_min(product->ranks, SAMPLE);
    sct_estimate estimate = {0, 0};
    double most = 0;
    for (int i = 0; i < sample; i++) {
        int rank = sct_sample_rank(product->ranks, sample, i);
        sct_load load = {.computing = 0};
        sct_load_multiply(product, machine, stay, rank, &load);
        for (int matrix = 0; matrix < SCT_MATS; matrix++)
            if (matrix != stay)
                sct_load_move(product, machine, stay, matrix, rank, &load);
        load.steps = 1; /* how much hides behind products is not reckoned on */
        estimate.slowest = fmax(estimate.slowest, sct_load_seconds(machine, product->ranks, &load));
        load.computing = 0;
        double moving = sct_load_seconds(machine, product->ranks, &load);
        estimate.moving += moving;
        most = fmax(most, moving);
    }
    estimate.slowest += waiting * (most - estimate.moving / sample);
    return estimate;
}

bool sct_estimate_better(sct_estimate one, sct_estimate other) {
    if (one.slowest * sure < other.slowest || other.slowest * sure < one.slowest)
        return one.slowest < other.slowest;
    return one.moving * fine < other.moving;
}
