/* cut.c - decides how finely a rank's work is cut: so that fetched panels are used while they are
 * in the cache, transfers overlap with products, and the workspace limit holds; and how many
 * bytes are prefetched by default. */
#include "planner/planner.h"

#include "base/checked.h"
#include "order/order.h"
#include "plan/contribution.h"

#include <math.h>

enum { NEAR_WORKSPACE = 8 << 20, FAR_WORKSPACE = 32 << 20, CUT_LEVELS = 3 };
/* Depth of panels in k. Cutting k down to MIN_K costs the BLAS almost nothing (measured); on a
 * described machine, down to HALF_SPEED_FACTOR times the depth with half speed. With shared memory
 * nothing overlaps, and panels are as deep as the BLAS blocks k itself, since each panel reads and
 * writes C again. More than MAX_PANELS only cost bookkeeping. */
enum { MIN_K = 256, MIN_K_NEAR = 384, HALF_SPEED_FACTOR = 16, MAX_PANELS = 1024 };
/* Slices of A and B, and contributions, above these sizes arrive or leave late. If there are at
 * most MANY_SLICES of them they are cut, but not below MIN_EXTENT indices. */
enum { LARGE_INPUT = 4 << 20, LARGE_CONTRIBUTION = 6 << 20, MANY_SLICES = 128, MIN_EXTENT = 1024 };
/* Default prefetch: enough steps to keep AHEAD_BYTES in flight from each of up to MAX_PEERS peers,
 * fewer if ranks share a link, and at most MAX_AHEAD steps. */
enum { AHEAD_BYTES = 4 << 20, MIN_PEERS = 2, MAX_PEERS = 3, MAX_AHEAD = 32 };
/* A workspace limit that needs more steps than this is refused. If it does not even hold the f32
 * sums of C, which cutting does not shrink, a few steps suffice to tell how much it lacks. */
static const int64_t usual_max_steps = 1000000, unholdable_steps = 10000;

static uint64_t slots_bytes(const sct_plan *plan, int matrix) {
    return (uint64_t)plan->slots[matrix].count * plan->slots[matrix].bytes;
}

/* The matrix whose slots take the most workspace, of those that cutting shrinks: whole tiles are
 * not cut. */
static int largest_slot_user(const sct_plan *plan) {
    int most = SCT_MAT_A;
    if (plan->options.fetch == SCT_FETCH_TILE)
        return SCT_MAT_C;
    for (int matrix = SCT_MAT_B; matrix < SCT_MATS; matrix++)
        if (slots_bytes(plan, matrix) > slots_bytes(plan, most))
            most = matrix;
    return most;
}

static bool all_near(const sct_plan *plan) {
    bool near = true;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        near = near && sct_product_all_near(&plan->product, matrix);
    return near;
}

static int64_t min_k(const sct_plan *plan) {
    const sct_machine *machine = plan->options.machine;
    double good = machine ? fmin(HALF_SPEED_FACTOR * machine->half[SCT_DIM_K], INT32_MAX) : 0;
    return sct_max(all_near(plan) ? MIN_K_NEAR : MIN_K, (int64_t)good);
}

/* Cuts k into panels that stay in the cache until they are used. */
static bool cut_panels(const sct_plan *plan, int64_t most[SCT_DIMS]) {
    int64_t size = plan->largest[SCT_DIM_K], depth = size;
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++) {
        int across = matrix == SCT_MAT_A ? SCT_DIM_M : SCT_DIM_N;
        if (plan->slots[matrix].bytes > 0)
            depth =
                sct_min(depth, sct_max(min_k(plan), SCT_PANEL_ELEMENTS / plan->largest[across]));
    }
    most[SCT_DIM_K] = sct_max(depth, (size - 1) / MAX_PANELS + 1);
    return most[SCT_DIM_K] < size;
}

/* True if contributions to C are scattered over several owners or places. */
static bool contributes_scattered(const sct_plan *plan) {
    bool scattered = false;
    for (int i = 0; i < plan->lists; i++) {
        const sct_piece_list *list = &plan->list[i];
        scattered |= sct_matrix_has(SCT_MAT_C, list->dim) &&
                     list->pieces.scattered[sct_matrix_side(SCT_MAT_C, list->dim)];
    }
    return scattered;
}

/* True if slices of a matrix travel one after another, so that large ones delay the next. */
static bool is_sent_in_slices(const sct_plan *plan, int matrix) {
    const sct_product *product = &plan->product;
    if (sct_work_keeps(&plan->work, matrix) || sct_product_all_near(product, matrix))
        return false;
    return matrix != SCT_MAT_C ||
           (plan->cost.bytes_accumulated > 0 && !contributes_scattered(plan) &&
            sct_contribution_is_slow(product, plan->options.machine,
                                     sct_plan_extent(plan, SCT_DIM_K)));
}

/* The best extent of a dimension for slices of a matrix: all of it if the other operand is read in
 * place. */
static int64_t slice_extent(const sct_plan *plan, int matrix, int dim,
                            const int64_t most[SCT_DIMS]) {
    const sct_product *product = &plan->product;
    int along = sct_matrix_dim(matrix, sct_matrix_dim(matrix, 0) == dim);
    int reread = dim == SCT_DIM_M ? SCT_MAT_B : SCT_MAT_A;
    int64_t size = plan->largest[dim], length = plan->largest[along];
    double large = matrix == SCT_MAT_C ? LARGE_CONTRIBUTION : LARGE_INPUT;
    double line = (double)size * (double)sct_type_bytes(product->type[matrix]);
    if (product->ranks_per_node[reread] > 1 ||
        line * sct_plan_extent(plan, along) > MANY_SLICES * large)
        return size;
    length = most[along] > 0 ? sct_min(most[along], length) : length;
    double slices = ceil(line * (double)length / large);
    return sct_max(MIN_EXTENT, (int64_t)ceil((double)size / slices));
}

/* Cuts large remote slices of A and B across k, and large, slow contributions within the outermost
 * loop. */
static bool cut_slices(const sct_plan *plan, int64_t most[SCT_DIMS]) {
    bool cut = false;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        int dim = matrix == SCT_MAT_A ? SCT_DIM_M : matrix == SCT_MAT_B ? SCT_DIM_N : plan->nest[1];
        int64_t good = slice_extent(plan, matrix, dim, most);
        if (!is_sent_in_slices(plan, matrix) || good >= plan->largest[dim])
            continue;
        most[dim] = most[dim] ? sct_min(most[dim], good) : good;
        cut = true;
    }
    return cut;
}

/* Cuts contributions that are gathered for several remote owners along the outermost loop, where no
 * slice must be kept from one piece to the next. */
static bool cut_contributions(const sct_plan *plan, int64_t most[SCT_DIMS]) {
    const sct_product *product = &plan->product;
    int dim = plan->nest[0];
    double size = (double)plan->largest[dim];
    if (dim == SCT_DIM_K || sct_product_all_near(product, SCT_MAT_C) ||
        !contributes_scattered(plan))
        return false;
    double pieces = sct_contribution_pieces(product, plan->options.machine, dim, size,
                                            sct_plan_extent(plan, SCT_DIM_K));
    most[dim] = (int64_t)ceil(size / pieces);
    return most[dim] < plan->largest[dim];
}

/* Cuts each owner's part of the free dimension in two, so that half of the local part overlaps with
 * the first input and half with the last contribution. */
static bool cut_halves(const sct_plan *plan, int64_t most[SCT_DIMS]) {
    int dim = sct_free_dim(plan->work.shape);
    double size = (double)plan->largest[dim];
    if (!sct_plan_exchanges_free_dim(plan))
        return false;
    most[dim] = (int64_t)ceil(size / sct_contribution_halves(size));
    return most[dim] < plan->largest[dim];
}

/* Halves one dimension of the matrix with the largest slots: the free dimension first, since its
 * pieces are needed one after another; then k, which costs the BLAS least; the dimension along C's
 * lines last, since short lines cost it most. */
static bool cut_more(const sct_plan *plan, int levels, int64_t most[SCT_DIMS]) {
    const int64_t floors[CUT_LEVELS][2] = {{min_k(plan), 512}, {64, 64}, {1, 1}};
    int along = sct_product_line_dim(&plan->product);
    int order[] = {plan->nest[0], SCT_DIM_K, along == SCT_DIM_N ? SCT_DIM_M : SCT_DIM_N, along};
    int matrix = largest_slot_user(plan);
    if (slots_bytes(plan, matrix) == 0)
        return false;
    for (int level = 0; level < levels; level++)
        for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
            int64_t size = plan->largest[order[i]], floor = floors[level][order[i] != SCT_DIM_K];
            if (size > floor && sct_matrix_has(matrix, order[i])) {
                most[order[i]] = sct_max(floor, (size + 1) / 2);
                return true;
            }
        }
    return false;
}

/* The default workspace: a share of the rank's parts, and more if it has remote operands. Without a
 * stationary matrix, slices of one operand are kept from one sum to the next. */
static uint64_t default_workspace(const sct_plan *plan) {
    const sct_product *product = &plan->product;
    uint64_t parts = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        size_t bytes = 0;
        sct_layout_bytes(product->layout[matrix], product->type[matrix], plan->rank, &bytes);
        parts += bytes;
    }
    uint64_t share = plan->work.stationary ? 16 : 1;
    return plan->sums_bytes + parts / share + (all_near(plan) ? NEAR_WORKSPACE : FAR_WORKSPACE);
}

/* Upper bound of the remote bytes of one step. */
static double largest_fetch(const sct_plan *plan) {
    double sum = 0;
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
        if (!sct_work_keeps(&plan->work, matrix) && !sct_product_all_near(&plan->product, matrix))
            sum += (double)plan->largest[sct_matrix_dim(matrix, 0)] *
                   (double)plan->largest[sct_matrix_dim(matrix, 1)] *
                   (double)sct_type_bytes(plan->product.type[matrix]);
    return sum;
}

static void extend_prefetch(sct_plan *plan) {
    const sct_product *product = &plan->product;
    int64_t peers = sct_min(product->ranks - 1, MAX_PEERS);
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        peers = sct_min(peers, MAX_PEERS / product->ranks_per_node[matrix]);
    peers = sct_max(peers, MIN_PEERS);
    double steps = (double)(peers * AHEAD_BYTES) / fmax(largest_fetch(plan), 1);
    plan->prefetch_steps = (int)fmax(plan->prefetch_steps, fmin(steps, MAX_AHEAD));
}

static sct_status slice(sct_plan *plan, const int64_t most[SCT_DIMS], bool prefetches) {
    sct_plan_unslice(plan);
    sct_status status = sct_plan_slice(plan, most);
    if (!status && prefetches)
        extend_prefetch(plan);
    if (!status)
        status = sct_plan_arrange(plan);
    return status ? status : sct_plan_count(plan);
}

sct_status sct_plan_cut(sct_plan *plan) {
    /* Exhaustive search needs few steps. Orders other than direct prefetch all they can, so cutting
     * does not reduce their workspace. */
    bool free_to_cut =
        plan->options.slicing == SCT_SLICE_CLASS && plan->options.schedule != SCT_EXHAUSTIVE;
    bool obeys_default = free_to_cut && plan->options.schedule == SCT_DIRECT;
    int64_t most[SCT_DIMS] = {0, 0, 0};
    uint64_t default_limit = default_workspace(plan);
    bool unholdable = plan->options.workspace && plan->options.workspace < plan->sums_bytes;
    int64_t max_steps = unholdable ? unholdable_steps : usual_max_steps;
    bool tight = plan->options.workspace && plan->options.workspace < default_limit;
    bool prefetches = plan->prefetch_steps > 0 && !tight;
    plan->prefetch_steps = prefetches ? plan->prefetch_steps : 0;
    sct_status status = slice(plan, most, prefetches);
    if ((!status || status == SCT_WORKSPACE) && free_to_cut) {
        bool panels = cut_panels(plan, most), contributions = cut_contributions(plan, most);
        bool halves = prefetches && cut_halves(plan, most),
             slices = prefetches && cut_slices(plan, most);
        status =
            panels || contributions || halves || slices ? slice(plan, most, prefetches) : status;
    }
    for (;;) {
        bool exceeds_default =
            !status && !plan->options.workspace && plan->cost.workspace > default_limit;
        int levels = status == SCT_WORKSPACE ? CUT_LEVELS : exceeds_default && obeys_default;
        if (levels > 0 && prefetches) {
            prefetches = false;
            plan->prefetch_steps = 0;
        } else if (plan->steps > max_steps || !cut_more(plan, levels, most)) {
            return status;
        }
        status = slice(plan, most, prefetches);
    }
}
