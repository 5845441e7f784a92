/* judge.c - what a rank's decisions take on a machine.
 *
 * Larger products are faster. Smaller ones let more of the communication overlap: what the first
 * step fetches and what the last one sends overlaps with nothing, unless the rank's own part comes
 * first or last. Owners brought together make larger products too, but a slice of several owners is
 * copied, and is there only when the last of them has sent it. */
#include "cost/judge.h"

#include "base/checked.h"
#include "cost/estimate.h"

#include <math.h>

static const sct_judged_pieces *pieces_of(const sct_judge *judge, const sct_decisions *decisions,
                                          int dim) {
    return &judge->pieces[dim][sct_gathered_sides(decisions, dim)];
}

/* The number of parts into which one set is cut. */
static double parts_of(const sct_judge *judge, const sct_decisions *decisions, int dim) {
    double set = judge->extent[dim] / fmax(1, pieces_of(judge, decisions, dim)->sets);
    double most = (double)decisions->most[dim];
    return most > 0 && set > most ? ceil(set / most) : 1;
}

static double count_of(const sct_judge *judge, const sct_decisions *decisions, int dim) {
    return fmax(1, pieces_of(judge, decisions, dim)->sets) * parts_of(judge, decisions, dim);
}

double sct_judge_piece(const sct_judge *judge, const sct_decisions *decisions, int dim) {
    return judge->extent[dim] / count_of(judge, decisions, dim);
}

/* ---- What is known from the layouts ---- */

/* The cell with the most products. */
static sct_cell largest_cell(const sct_product *product, const sct_work_layout *work, int rank) {
    double most = -1;
    sct_cell largest = {0, 0};
    for (int block = 0; block < sct_layout_cells(work->layout, rank); block++) {
        sct_cell cell = sct_layout_cell(work->layout, rank, block);
        double products = 1;
        for (int dim = 0; dim < SCT_DIMS; dim++)
            products *= (double)sct_work_extent(product, work, dim, rank, cell);
        if (products > most)
            largest = cell;
        most = fmax(most, products);
    }
    return largest;
}

void sct_judge_look(const sct_product *product, const sct_machine *machine,
                    const sct_work_layout *work, int rank, sct_judge *judge) {
    judge->product = product;
    judge->machine = machine;
    judge->work = work;
    judge->boxes = sct_layout_cells(work->layout, rank);
    judge->one_writer = sct_work_one_writer(product, work);
    if (judge->boxes == 0)
        return;
    judge->cell = largest_cell(product, work, rank);
    for (int dim = 0; dim < SCT_DIMS; dim++)
        judge->extent[dim] = (double)sct_work_extent(product, work, dim, rank, judge->cell);
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        if (sct_work_keeps(work, matrix) || sct_product_all_near(product, matrix))
            continue;
        sct_far_shares(product, machine, work, matrix, rank, judge->cell, judge->far[matrix]);
        for (int level = 0; level < machine->levels; level++)
            judge->all_far[matrix] += judge->far[matrix][level];
    }
}

/* ---- Where loops begin ---- */

/* True if a far matrix is split by owner along this dimension only: each rank of a replica then has
 * pieces of its own here. */
static bool is_split_here_only(const sct_judge *judge, int matrix, int dim) {
    int across = sct_matrix_dim(matrix, sct_matrix_dim(matrix, 0) == dim);
    sct_dimension other = sct_product_dimension(judge->product, across);
    return !sct_product_all_near(judge->product, matrix) &&
           other.axis[sct_matrix_side(matrix, across)]->coords == 1;
}

/* Bytes of a slice of a matrix. */
static double slice_bytes(const sct_judge *judge, const sct_decisions *decisions, int matrix) {
    return sct_judge_piece(judge, decisions, sct_matrix_dim(matrix, 0)) *
           sct_judge_piece(judge, decisions, sct_matrix_dim(matrix, 1)) *
           (double)sct_type_bytes(judge->product->type[matrix]);
}

/* Johnson's rule for a flow shop of fetching and sending: what takes less to fetch than to send is
 * done first. The rank's own part takes neither; so it comes first if the first fetch takes longer
 * than sending the last sum, else last. If it is several pieces, half of them come first. */
static sct_begin own_part(const sct_judge *judge, const sct_decisions *decisions, int dim) {
    int input = dim == SCT_DIM_M ? SCT_MAT_A : SCT_MAT_B;
    double got = slice_bytes(judge, decisions, input);
    double sent = slice_bytes(judge, decisions, SCT_MAT_C);
    return parts_of(judge, decisions, dim) > 1 ? SCT_BEGIN_HALFWAY
           : sent >= got                       ? SCT_BEGIN_BEHIND_OWN
                                               : SCT_BEGIN_OWN;
}

static sct_begin begin_of(const sct_judge *judge, const sct_decisions *decisions, int dim) {
    const sct_judged_pieces *pieces = pieces_of(judge, decisions, dim);
    bool own = true, sends = false, gets = false;
    for (int side = 0; side < 2; side++) {
        int matrix = sct_dim_matrix(dim, side);
        if (!pieces->split[side])
            continue;
        *(matrix == SCT_MAT_C ? &sends : &gets) = true;
        own = own && is_split_here_only(judge, matrix, dim);
    }
    int input = dim == SCT_DIM_M ? SCT_MAT_A : SCT_MAT_B;
    bool outweighs =
        !gets || slice_bytes(judge, decisions, SCT_MAT_C) > slice_bytes(judge, decisions, input);
    if (judge->alike)
        return SCT_BEGIN_FIRST;
    if (sends && outweighs && judge->gathers && judge->all_far[SCT_MAT_C] > 0 && !own)
        return SCT_BEGIN_BEHIND_OWN;
    if (!own || (!sends && !gets))
        return SCT_BEGIN_SHIFTED;
    return sends && gets ? own_part(judge, decisions, dim)
           : sends       ? SCT_BEGIN_BEHIND_OWN
                         : SCT_BEGIN_OWN;
}

void sct_judge_begin(const sct_judge *judge, sct_decisions *decisions) {
    for (int dim = 0; dim < SCT_DIMS; dim++)
        decisions->begin[dim] = begin_of(judge, decisions, dim);
    decisions->hoist = judge->gathers && !judge->alike;
}

/* ---- The workload ---- */

/* The share of the rank's products that a loop computes before it needs the first fetch of a
 * matrix, or after its last sum is ready to be sent. */
static double own_share(const sct_judge *judge, const sct_decisions *decisions, int matrix,
                        sct_begin begin) {
    double share = 0;
    for (int i = 0; i < 2; i++) {
        int dim = sct_matrix_dim(matrix, i);
        bool halves = decisions->begin[dim] == SCT_BEGIN_HALFWAY;
        const sct_judged_pieces *pieces = pieces_of(judge, decisions, dim);
        if (pieces->split[sct_matrix_side(matrix, dim)] &&
            (halves || decisions->begin[dim] == begin))
            share = fmax(share, (halves ? 0.5 : 1) / pieces->sets);
    }
    return share;
}

static bool is_scattered(const sct_judge *judge, const sct_decisions *decisions, int matrix) {
    bool any = false;
    for (int i = 0; i < 2; i++) {
        int dim = sct_matrix_dim(matrix, i);
        any |= pieces_of(judge, decisions, dim)->scattered[sct_matrix_side(matrix, dim)];
    }
    return any;
}

bool sct_judge_moves(const sct_judge *judge, const sct_decisions *decisions) {
    bool any = false;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        any |= judge->all_far[matrix] > 0 || is_scattered(judge, decisions, matrix);
    return any;
}

/* Seconds for a slice of a matrix to come or go alone, from or to the farthest owner. */
static double slice_seconds(const sct_judge *judge, int matrix, double bytes) {
    const sct_machine *machine = judge->machine;
    for (int level = machine->levels - 1; level >= 0; level--) {
        const sct_level *l = &machine->level[level];
        double rate = fmin(l->pair, sct_level_rate(machine, level, judge->product->ranks));
        if (judge->far[matrix][level] > 0)
            return l->latency + bytes / (matrix == SCT_MAT_C ? rate * l->accumulate : rate);
    }
    return 0;
}

/* Adds what a matrix costs. */
static void add_matrix(const sct_judge *judge, const sct_decisions *decisions, int matrix,
                       sct_workload *workload) {
    const sct_product *product = judge->product;
    bool is_c = matrix == SCT_MAT_C, scattered = is_scattered(judge, decisions, matrix);
    double element = (double)sct_type_bytes(product->type[matrix]), far = judge->all_far[matrix];
    double slice = slice_bytes(judge, decisions, matrix), bytes = judge->boxes * element;
    double messages = judge->boxes;
    for (int i = 0; i < 2; i++) {
        int dim = sct_matrix_dim(matrix, i);
        bytes *= judge->extent[dim];
        messages *= fmax(count_of(judge, decisions, dim), judge->pieces[dim][0].sets);
    }
    if (is_c && decisions->nest[0] == SCT_DIM_K && (far > 0 || scattered))
        bytes *= count_of(judge, decisions, SCT_DIM_K);
    if (scattered) {
        workload->copied += (is_c ? (judge->one_writer ? 2 : 0) : 1 - far) * bytes;
        workload->traffic[0].messages += (1 - far) * messages;
    }
    if (!is_c && (scattered || far > 0) && slice > judge->machine->panel * element)
        workload->copied += bytes / 2; /* read again, from memory */
    for (int level = 0; level < judge->machine->levels; level++) {
        double moved = judge->far[matrix][level] * bytes;
        sct_level_traffic *traffic = &workload->traffic[level];
        *(is_c ? &traffic->added : &traffic->got) += moved;
        *(is_c ? &traffic->received : &traffic->served) += moved;
        traffic->messages += moved > 0 ? messages * judge->far[matrix][level] : 0;
    }
    double own = own_share(judge, decisions, matrix, is_c ? SCT_BEGIN_BEHIND_OWN : SCT_BEGIN_OWN);
    workload->alone += fmax(0, slice_seconds(judge, matrix, slice) - own * workload->computing);
}

sct_workload sct_judge_workload(const sct_judge *judge, const sct_decisions *decisions) {
    sct_workload workload = {.steps = judge->boxes};
    int64_t size[SCT_DIMS];
    for (int dim = 0; dim < SCT_DIMS; dim++) {
        workload.steps *= count_of(judge, decisions, dim);
        size[dim] = (int64_t)ceil(sct_judge_piece(judge, decisions, dim));
    }
    workload.computing =
        workload.steps * sct_machine_multiply(judge->machine, judge->product->type[SCT_MAT_A],
                                              size[SCT_DIM_M], size[SCT_DIM_N], size[SCT_DIM_K]);
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        add_matrix(judge, decisions, matrix, &workload);
    return workload;
}

/* The number of slices of a matrix in workspace at a time. A slice of A or B stays while the loops
 * inside that of the dimension which the matrix lacks go through all others. */
static double slots_of(const sct_judge *judge, const sct_decisions *decisions, int matrix) {
    double slots = 1;
    int free_dim = sct_free_dim(matrix);
    if (matrix == SCT_MAT_C)
        return judge->sums;
    if (count_of(judge, decisions, free_dim) > 1)
        for (int i = SCT_DIMS - 1; decisions->nest[i] != free_dim; i--)
            slots *= count_of(judge, decisions, decisions->nest[i]);
    return slots;
}

static double workspace(const sct_judge *judge, const sct_decisions *decisions) {
    double bytes = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        if (judge->all_far[matrix] > 0 || is_scattered(judge, decisions, matrix))
            bytes += slots_of(judge, decisions, matrix) * slice_bytes(judge, decisions, matrix);
    return bytes;
}

double sct_judge_seconds(const sct_judge *judge, const sct_decisions *decisions) {
    /* Computing that transfers hide counts a little: it would delay them where they share the
     * processor. So does workspace: the price of as much again as is expected. */
    static const double hidden = 0.3, price = 0.05;
    sct_workload workload = sct_judge_workload(judge, decisions);
    double computing = workload.computing + 2 * workload.copied / judge->machine->memory;
    double more = fmax(0, workspace(judge, decisions) / judge->room - 1);
    return (sct_workload_seconds(judge->machine, judge->product->ranks, &workload) +
            hidden * computing) *
           (1 + price * more);
}
