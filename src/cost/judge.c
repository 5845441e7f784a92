/* judge.c - the time that a rank's decisions take on a machine, and a small search for those with
 * the least.
 *
 * Larger products are faster. Smaller ones let more of the communication overlap: what the first
 * step fetches and what the last one sends overlaps with nothing, unless the rank's own part comes
 * first or last. Owners brought together make larger products too, but a slice of several owners is
 * copied, and is there only when the last of them has sent it.
 *
 * The search begins with all owners apart and nothing cut, and brings the owners on a side together
 * where that gains. For each such proposal pieces are halved as long as that gains. */
#include "cost/judge.h"

#include "base/checked.h"
#include "cost/estimate.h"
#include "plan/constants.h"

#include <math.h>
#include <string.h>

/* Of a dimension: more take long to plan. Within a limit they may be what keeps anything from being
 * fetched twice. */
enum { MOST_PIECES = 1024, MOST_WITHIN_LIMIT = 16384 };

/* The time that a proposal must beat. */
static double time_to_beat(const sct_judge *judge, double seconds) {
    return seconds - sct_judge_worth * judge->machine->product;
}

/* Halves the pieces of the dimension that gains most, as long as any does. Returns the seconds. */
static double halve(const sct_judge *judge, sct_decisions *decisions) {
    double seconds = sct_judge_try(judge, decisions);
    const int most = judge->limit > 0 ? MOST_WITHIN_LIMIT : MOST_PIECES;
    for (bool gains = judge->cuts; gains;) {
        sct_decisions best = *decisions;
        double least = time_to_beat(judge, seconds);
        gains = false;
        for (int dim = 0; dim < SCT_DIMS; dim++) {
            sct_decisions halved = *decisions;
            double piece = sct_judge_piece(judge, decisions, dim);
            halved.most[dim] = (int64_t)ceil(piece / 2);
            bool may = piece > 1 && judge->extent[dim] / piece < most;
            double taken = may ? sct_judge_try(judge, &halved) : INFINITY;
            if (!(taken < least))
                continue;
            best = halved;
            least = taken;
            gains = true;
        }
        seconds = gains ? least : seconds;
        *decisions = best;
    }
    return seconds;
}

static sct_status find_pieces(sct_judge *judge, int dim, int gathered) {
    if (judge->known[dim][gathered])
        return SCT_OK;
    sct_status status = judge->slice(judge->self, dim, gathered, &judge->pieces[dim][gathered]);
    judge->known[dim][gathered] = !status;
    return status;
}

/* The seconds if bringing owners together in a dimension cost nothing and made one piece of all. */
static double ideal_seconds(const sct_judge *judge, const sct_decisions *decisions, int dim) {
    sct_judge ideal = *judge;
    sct_decisions whole = *decisions;
    sct_judged_pieces *pieces = &ideal.pieces[dim][sct_gathered_sides(decisions, dim)];
    if (pieces->sets <= 1)
        return INFINITY;
    pieces->sets = 1;
    pieces->scattered[0] = pieces->scattered[1] = false;
    return halve(&ideal, &whole);
}

/* Tries the ways of bringing owners together in one dimension, and takes the best if it gains. */
static sct_status try_gathering(sct_judge *judge, int dim, sct_decisions *decisions,
                                double *seconds) {
    const sct_judged_pieces *apart = &judge->pieces[dim][0];
    bool copied = apart->scattered[0] || apart->scattered[1];
    double least = time_to_beat(judge, *seconds);
    if (!(apart->split[0] || apart->split[1]))
        return SCT_OK;
    double ideal = copied ? -INFINITY : ideal_seconds(judge, decisions, dim);
    sct_decisions best = *decisions;
    for (int gathered = 1; gathered < 4; gathered++) {
        sct_decisions tried = *decisions;
        if (((gathered & 1) && !apart->split[0]) || ((gathered & 2) && !apart->split[1]) ||
            !(ideal < time_to_beat(judge, *seconds)))
            continue;
        sct_status status = find_pieces(judge, dim, gathered);
        if (status)
            return status;
        tried.gather[dim][0] = gathered & 1;
        tried.gather[dim][1] = gathered >> 1;
        for (int other = 0; other < SCT_DIMS; other++)
            tried.most[other] = 0;
        double taken = halve(judge, &tried);
        if (taken < least) {
            best = tried;
            least = *seconds = taken;
        }
    }
    *decisions = best;
    return SCT_OK;
}

sct_status sct_judge_decide(sct_judge *judge, sct_decisions *decisions) {
    sct_status status = SCT_OK;
    for (int dim = 0; dim < SCT_DIMS && !status; dim++)
        status = find_pieces(judge, dim, 0);
    if (status)
        return status;
    /* A matrix gathered in one dimension may as well be in the other: so all are tried again. */
    double seconds = halve(judge, decisions), before = INFINITY;
    while (judge->gathers && seconds < before) {
        before = seconds;
        for (int dim = 0; dim < SCT_DIMS && !status; dim++)
            status = try_gathering(judge, dim, decisions, &seconds);
    }
    return status;
}

/* Begins with the owners of all matrices brought together in m and n: one slice of C stays in the
 * workspace while k passes by. */
static sct_status decide_whole(sct_judge *judge, sct_decisions *decisions) {
    static const int dims[] = {SCT_DIM_M, SCT_DIM_N};
    for (int i = 0; i < 2 && judge->gathers; i++) {
        const sct_judged_pieces *apart = &judge->pieces[dims[i]][0];
        for (int side = 0; side < 2; side++)
            decisions->gather[dims[i]][side] = apart->split[side];
        sct_status status = find_pieces(judge, dims[i], sct_gathered_sides(decisions, dims[i]));
        if (status)
            return status;
    }
    halve(judge, decisions);
    return SCT_OK;
}

sct_status sct_judge_decide_within(sct_judge *judge, double limit, sct_decisions *decisions,
                                   bool *fits) {
    const sct_decisions usual = *decisions;
    const int outer = usual.nest[0], inner = usual.nest[1];
    double least = INFINITY;
    judge->limit = limit;
    for (int way = 0; way < 4; way++) {
        sct_decisions tried = {.size = sizeof tried};
        bool turned = way & 1, whole = way & 2;
        memcpy(tried.nest, usual.nest, sizeof tried.nest);
        if (turned && outer == SCT_DIM_K) /* sums take no workspace, so k stays outermost */
            continue;
        tried.nest[0] = turned ? inner : outer;
        tried.nest[1] = turned ? outer : inner;
        sct_status status = whole ? decide_whole(judge, &tried) : sct_judge_decide(judge, &tried);
        if (status)
            return status;
        double seconds = sct_judge_try(judge, &tried);
        if (sct_judge_workspace(judge, &tried) <= limit && seconds < least) {
            *decisions = tried;
            least = seconds;
        }
    }
    judge->limit = 0;
    *fits = least < INFINITY;
    return SCT_OK;
}

/* What decisions make of the work. */
typedef struct judged_cut {
    const sct_judge *judge;
    const sct_decisions *decisions;
    const sct_judged_pieces *pieces[SCT_DIMS];
    double parts[SCT_DIMS];   /* into which each piece is cut */
    double count[SCT_DIMS];   /* of all parts */
    double size[SCT_DIMS];    /* of a part */
    bool scattered[SCT_MATS]; /* a slice of a matrix is not contiguous */
    double slice[SCT_MATS];   /* its bytes */
} judged_cut;

static double sets_of(const sct_judge *judge, const sct_decisions *decisions, int dim) {
    return sct_larger(judge->pieces[dim][sct_gathered_sides(decisions, dim)].sets, 1);
}

static double parts_of(const sct_judge *judge, const sct_decisions *decisions, int dim,
                       double sets) {
    double set = judge->extent[dim] / sets, most = (double)decisions->most[dim];
    return most > 0 && set > most ? ceil(set / most) : 1;
}

static judged_cut cut_by(const sct_judge *judge, const sct_decisions *decisions) {
    judged_cut cut = {.judge = judge, .decisions = decisions};
    for (int dim = 0; dim < SCT_DIMS; dim++) {
        const sct_judged_pieces *pieces = &judge->pieces[dim][sct_gathered_sides(decisions, dim)];
        double sets = sets_of(judge, decisions, dim);
        cut.pieces[dim] = pieces;
        cut.parts[dim] = parts_of(judge, decisions, dim, sets);
        cut.count[dim] = sets * cut.parts[dim];
        cut.size[dim] = judge->extent[dim] / cut.count[dim];
        for (int side = 0; side < 2; side++)
            cut.scattered[sct_dim_matrix(dim, side)] |= pieces->scattered[side];
    }
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        cut.slice[matrix] = cut.size[sct_matrix_dim(matrix, 0)] *
                            cut.size[sct_matrix_dim(matrix, 1)] *
                            sct_product_element(judge->product, matrix);
    return cut;
}

double sct_judge_piece(const sct_judge *judge, const sct_decisions *decisions, int dim) {
    double sets = sets_of(judge, decisions, dim);
    return judge->extent[dim] / (sets * parts_of(judge, decisions, dim, sets));
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
        most = sct_larger(most, products);
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

/* Johnson's rule for a flow shop of fetching and sending: what takes less to fetch than to send is
 * done first. The rank's own part takes neither; so it comes first if the first fetch takes longer
 * than sending the last sum, else last. If it is several pieces, half of them come first. */
static sct_begin own_part(const judged_cut *cut, int dim) {
    int input = dim == SCT_DIM_M ? SCT_MAT_A : SCT_MAT_B;
    return cut->parts[dim] > 1                          ? SCT_BEGIN_HALFWAY
           : cut->slice[SCT_MAT_C] >= cut->slice[input] ? SCT_BEGIN_BEHIND_OWN
                                                        : SCT_BEGIN_OWN;
}

static sct_begin begin_of(const judged_cut *cut, int dim) {
    const sct_judge *judge = cut->judge;
    bool own = true, sends = false, gets = false;
    for (int side = 0; side < 2; side++) {
        int matrix = sct_dim_matrix(dim, side);
        if (!cut->pieces[dim]->split[side])
            continue;
        *(matrix == SCT_MAT_C ? &sends : &gets) = true;
        own = own && is_split_here_only(judge, matrix, dim);
    }
    int input = dim == SCT_DIM_M ? SCT_MAT_A : SCT_MAT_B;
    bool outweighs = !gets || cut->slice[SCT_MAT_C] > cut->slice[input];
    if (judge->alike)
        return SCT_BEGIN_FIRST;
    if (sends && outweighs && judge->gathers && judge->all_far[SCT_MAT_C] > 0 && !own)
        return SCT_BEGIN_BEHIND_OWN;
    if (!own || (!sends && !gets))
        return SCT_BEGIN_SHIFTED;
    return sends && gets ? own_part(cut, dim) : sends ? SCT_BEGIN_BEHIND_OWN : SCT_BEGIN_OWN;
}

/* ---- Slices of several blocks ---- */

/* The most blocks of a slice of A or B that are multiplied one by one, rather than copied. The BLAS
 * rereads the other operand for each. That costs less than a copy, which reads and writes, if the
 * other operand fits the cache and the rereads are at most twice the slice. Many blocks must not be
 * thin either. */
static int64_t blocks_of(const judged_cut *cut, int matrix) {
    int dim = matrix == SCT_MAT_A ? SCT_DIM_M : SCT_DIM_N;
    if (!cut->pieces[dim]->scattered[sct_matrix_side(matrix, dim)] ||
        !sct_product_all_near(cut->judge->product, matrix))
        return 0;
    double own = ceil(cut->size[dim]);
    double across = ceil(cut->size[matrix == SCT_MAT_A ? SCT_DIM_N : SCT_DIM_M]);
    double other = across * ceil(cut->size[SCT_DIM_K]);
    double most = sct_smaller(sct_larger(sct_judge_few, floor(own / sct_judge_thin)),
                              1 + floor(2 * own / across));
    return other <= cut->judge->machine->panel && most > 1 ? (int64_t)most : 0;
}

static void begin_loops(const judged_cut *cut, sct_decisions *decisions) {
    for (int dim = 0; dim < SCT_DIMS; dim++)
        decisions->begin[dim] = begin_of(cut, dim);
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
        decisions->blocks[matrix] = blocks_of(cut, matrix);
}

/* ---- The workload ---- */

/* The share of the rank's products that a loop computes before it needs the first fetch of a
 * matrix, or after its last sum is ready to be sent. */
static double own_share(const judged_cut *cut, int matrix) {
    sct_begin begin = matrix == SCT_MAT_C ? SCT_BEGIN_BEHIND_OWN : SCT_BEGIN_OWN;
    double share = 0;
    for (int i = 0; i < 2; i++) {
        int dim = sct_matrix_dim(matrix, i);
        const sct_judged_pieces *pieces = cut->pieces[dim];
        bool halves = cut->decisions->begin[dim] == SCT_BEGIN_HALFWAY;
        if (pieces->split[sct_matrix_side(matrix, dim)] &&
            (halves || cut->decisions->begin[dim] == begin))
            share = sct_larger(share, (halves ? 0.5 : 1) / pieces->sets);
    }
    return share;
}

/* A matrix that is copied, fetched or sent. */
static bool moves(const judged_cut *cut, int matrix) {
    return cut->scattered[matrix] || cut->judge->all_far[matrix] > 0;
}

/* Seconds for a slice of a matrix to come or go alone, from or to the farthest owner. */
static double slice_seconds(const judged_cut *cut, int matrix) {
    const sct_judge *judge = cut->judge;
    const sct_machine *machine = judge->machine;
    int level = machine->levels - 1;
    while (level >= 0 && !(judge->far[matrix][level] > 0))
        level--;
    if (level < 0)
        return 0;
    const sct_level *l = &machine->level[level];
    double rate = sct_smaller(l->pair, sct_level_rate(machine, level, judge->product->ranks));
    return l->latency + cut->slice[matrix] / (matrix == SCT_MAT_C ? rate * l->accumulate : rate);
}

/* Adds what a matrix that moves costs. */
static void add_matrix(const judged_cut *cut, int matrix, sct_workload *workload) {
    const sct_judge *judge = cut->judge;
    const sct_machine *machine = judge->machine;
    bool is_c = matrix == SCT_MAT_C, scattered = cut->scattered[matrix];
    double element = sct_product_element(judge->product, matrix);
    double far = judge->all_far[matrix], bytes = judge->boxes * element, messages = judge->boxes;
    for (int i = 0; i < 2; i++) {
        int dim = sct_matrix_dim(matrix, i);
        bytes *= judge->extent[dim];
        messages *= sct_larger(cut->count[dim], judge->pieces[dim][0].sets);
    }
    if (is_c && cut->decisions->nest[0] == SCT_DIM_K)
        bytes *= cut->count[SCT_DIM_K];
    if (scattered) {
        workload->copied += (is_c ? (judge->one_writer ? 2 : 0) : 1 - far) * bytes;
        workload->traffic[0].messages += (1 - far) * messages;
    }
    if (!is_c && cut->slice[matrix] > machine->panel * element)
        workload->copied += bytes / 2; /* read again, from memory */
    for (int level = 0; level < machine->levels && far > 0; level++) {
        double moved = judge->far[matrix][level] * bytes;
        sct_level_traffic *traffic = &workload->traffic[level];
        *(is_c ? &traffic->added : &traffic->got) += moved;
        *(is_c ? &traffic->received : &traffic->served) += moved;
        traffic->messages += moved > 0 ? messages * judge->far[matrix][level] : 0;
    }
    double hidden = own_share(cut, matrix) * workload->computing;
    workload->alone += sct_larger(0, slice_seconds(cut, matrix) - hidden);
}

static sct_workload workload_of(const judged_cut *cut) {
    const sct_judge *judge = cut->judge;
    sct_workload workload = {.steps = judge->boxes};
    int64_t size[SCT_DIMS];
    for (int dim = 0; dim < SCT_DIMS; dim++) {
        workload.steps *= cut->count[dim];
        size[dim] = (int64_t)ceil(cut->size[dim]);
    }
    workload.computing =
        workload.steps * sct_machine_multiply(judge->machine, judge->product->type[SCT_MAT_A],
                                              size[SCT_DIM_M], size[SCT_DIM_N], size[SCT_DIM_K]);
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        if (moves(cut, matrix))
            add_matrix(cut, matrix, &workload);
    return workload;
}

sct_workload sct_judge_workload(const sct_judge *judge, const sct_decisions *decisions) {
    judged_cut cut = cut_by(judge, decisions);
    return workload_of(&cut);
}

/* The number of slices of a matrix in workspace at a time. A slice of A or B stays while the loops
 * inside that of the dimension which the matrix lacks go through all others. */
static double slots_of(const judged_cut *cut, int matrix) {
    const int *nest = cut->decisions->nest;
    double slots = 1;
    int free_dim = sct_free_dim(matrix);
    if (matrix == SCT_MAT_C)
        return cut->judge->sums;
    if (cut->count[free_dim] > 1)
        for (int i = SCT_DIMS - 1; nest[i] != free_dim; i--)
            slots *= cut->count[nest[i]];
    return slots;
}

static double workspace(const judged_cut *cut) {
    double bytes = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        if (moves(cut, matrix))
            bytes += slots_of(cut, matrix) * cut->slice[matrix];
    return bytes;
}

/* The same, as exactly as is known here: no more slices of C than there are, and room for slices of
 * A and B that are fetched ahead. `uncapped`: also if A or B has fewer slices than that. */
static double needed(const judged_cut *cut, bool uncapped) {
    const sct_judge *judge = cut->judge;
    double bytes = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        bool is_c = matrix == SCT_MAT_C;
        double most = judge->boxes * cut->count[sct_matrix_dim(matrix, 0)] *
                      cut->count[sct_matrix_dim(matrix, 1)];
        double slots = slots_of(cut, matrix) + (is_c ? 0 : 1 + SCT_UNDER_WAY);
        if (moves(cut, matrix))
            bytes += (uncapped && !is_c ? slots : sct_smaller(slots, most)) * cut->slice[matrix];
    }
    return bytes;
}

double sct_judge_workspace(const sct_judge *judge, const sct_decisions *decisions) {
    judged_cut cut = cut_by(judge, decisions);
    return needed(&cut, false);
}

/* The factor on the time of decisions, by which those whose workspace exceeds the limit lose
 * against all that keep it. It shrinks with each cut, even while a matrix has so few slices that
 * all of them stay in the workspace, and a cut saves no memory yet. So the search goes on to
 * smaller slices. */
static double price_of(const judged_cut *cut) {
    static const double too_much = 1e6;
    double room = cut->judge->limit;
    if (room == 0)
        return 1 + sct_judge_price * sct_larger(0, workspace(cut) / cut->judge->room - 1);
    return needed(cut, false) > room ? too_much * needed(cut, true) / room : 1;
}

/* Computing counts once more, also where transfers hide it: of decisions whose transfers take as
 * long, those whose products are faster are best, since neither is known exactly. */
double sct_judge_try(const sct_judge *judge, sct_decisions *decisions) {
    judged_cut cut = cut_by(judge, decisions);
    begin_loops(&cut, decisions);
    sct_workload workload = workload_of(&cut);
    double computing = workload.computing + 2 * workload.copied / judge->machine->memory;
    double seconds = sct_workload_seconds(judge->machine, judge->product->ranks, &workload);
    return (seconds + computing) * price_of(&cut);
}
