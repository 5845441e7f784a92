/* cut.c - how finely a rank's work is cut: so that what is brought here is used while it is in the
 * cache, comes while something else is used, and fits into the workspace. */
#include "planner/planner.h"

#include "base/checked.h"
#include "order/order.h"
#include "plan/contribution.h"

#include <math.h>

enum { NEAR_BYTES = 8 << 20, FAR_BYTES = 32 << 20, LEVELS = 3 };
/* k cut as small as this costs a BLAS nothing, and as many times where a described machine is at
 * half its speed, little. Within reach, where nothing travels meanwhile, pieces are as long as
 * those that a BLAS makes itself: for each of them C is read and written. More pieces of k than
 * this are not worth their bookkeeping. */
enum { LEAST_K = 256, LEAST_K_NEAR = 384, TIMES_HALF = 16, MOST_PANELS = 1024 };
/* What travels in slices larger than this, of A and B, of C, comes late where there are not many,
 * and others of no fewer indices will do. */
enum { LARGE = 4 << 20, LARGE_SUMS = 6 << 20, MANY_SLICES = 128, LEAST_ACROSS = 1024 };
/* If nothing else is asked for, so many steps that lack something are fetched ahead as lack so many
 * bytes of each other rank together, of so many, or fewer where ranks share a link, for a network
 * to have something to do all the time: but no more than this. */
enum { AHEAD_BYTES = 4 << 20, LEAST_OTHERS = 2, MOST_OTHERS = 3, MOST_AHEAD = 32 };
/* A limit that would cut a rank's work into more steps than this is refused; one that does not even
 * hold the sums of C, whatever is cut, already at so few that it takes no time to tell. */
static const int64_t most_steps = 1000000, hopeless_steps = 10000;

static uint64_t slots_bytes(const sct_plan *plan, int matrix) {
    return (uint64_t)plan->slots[matrix].count * plan->slots[matrix].bytes;
}

/* The matrix whose slots take the most, of those whose slots cuts make smaller: whole tiles stay as
 * they are. */
static int greediest(const sct_plan *plan) {
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

static int64_t least_k(const sct_plan *plan) {
    const sct_machine *machine = plan->options.machine;
    double good = machine ? fmin(TIMES_HALF * machine->half[SCT_DIM_K], INT32_MAX) : 0;
    return sct_max(all_near(plan) ? LEAST_K_NEAR : LEAST_K, (int64_t)good);
}

/* Cuts k so that no more of A and of B is brought here at once than is soon used. */
static bool cut_panels(const sct_plan *plan, int64_t most[SCT_DIMS]) {
    int64_t size = plan->largest[SCT_DIM_K], depth = size;
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++) {
        int across = matrix == SCT_MAT_A ? SCT_DIM_M : SCT_DIM_N;
        if (plan->slots[matrix].bytes > 0)
            depth =
                sct_min(depth, sct_max(least_k(plan), SCT_PANEL_ELEMENTS / plan->largest[across]));
    }
    most[SCT_DIM_K] = sct_max(depth, (size - 1) / MOST_PANELS + 1);
    return most[SCT_DIM_K] < size;
}

/* Whether C is added to in slices that lie in several places. */
static bool adds_scattered(const sct_plan *plan) {
    bool scattered = false;
    for (int i = 0; i < plan->lists; i++) {
        const sct_list *list = &plan->list[i];
        scattered |= sct_matrix_has(SCT_MAT_C, list->dim) &&
                     list->pieces.scattered[sct_matrix_side(SCT_MAT_C, list->dim)];
    }
    return scattered;
}

/* Whether slices of a matrix travel, and the next of it wait for them. */
static bool sends_slices(const sct_plan *plan, int matrix) {
    const sct_product *product = &plan->product;
    if (matrix == plan->stay || sct_product_all_near(product, matrix))
        return false;
    return matrix != SCT_MAT_C ||
           (plan->cost.bytes_accumulated > 0 && !adds_scattered(plan) &&
            sct_leave_slowly(product, plan->options.machine, sct_plan_breadth(plan, SCT_DIM_K)));
}

/* The indices of a dimension that slices of a matrix had best have: all, if what is multiplied with
 * each of them is read in place. */
static int64_t fit_slice(const sct_plan *plan, int matrix, int dim, const int64_t most[SCT_DIMS]) {
    const sct_product *product = &plan->product;
    int along = sct_matrix_dim(matrix, sct_matrix_dim(matrix, 0) == dim);
    int again = dim == SCT_DIM_M ? SCT_MAT_B : SCT_MAT_A;
    int64_t size = plan->largest[dim], length = plan->largest[along];
    double large = matrix == SCT_MAT_C ? LARGE_SUMS : LARGE;
    double line = (double)size * (double)sct_type_bytes(product->type[matrix]);
    if (product->ranks_per_node[again] > 1 ||
        line * sct_plan_breadth(plan, along) > MANY_SLICES * large)
        return size;
    length = most[along] > 0 ? sct_min(most[along], length) : length;
    double slices = ceil(line * (double)length / large);
    return sct_max(LEAST_ACROSS, (int64_t)ceil((double)size / slices));
}

/* Cuts what is fetched from beyond reach across k, and within the outermost loop sums that leave
 * slowly, if their slices are large. */
static bool cut_slices(const sct_plan *plan, int64_t most[SCT_DIMS]) {
    bool cut = false;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        int dim = matrix == SCT_MAT_A ? SCT_DIM_M : matrix == SCT_MAT_B ? SCT_DIM_N : plan->nest[1];
        int64_t good = fit_slice(plan, matrix, dim, most);
        if (!sends_slices(plan, matrix) || good >= plan->largest[dim])
            continue;
        most[dim] = most[dim] ? sct_min(most[dim], good) : good;
        cut = true;
    }
    return cut;
}

/* Cuts what is brought together for several owners of C beyond reach along the outermost loop, for
 * nothing has to be kept from one of its pieces to the next. */
static bool cut_sums(const sct_plan *plan, int64_t most[SCT_DIMS]) {
    const sct_product *product = &plan->product;
    int dim = plan->nest[0];
    double size = (double)plan->largest[dim];
    if (dim == SCT_DIM_K || sct_product_all_near(product, SCT_MAT_C) || !adds_scattered(plan))
        return false;
    double pieces = sct_leave_pieces(product, plan->options.machine, dim, size,
                                     sct_plan_breadth(plan, SCT_DIM_K));
    most[dim] = (int64_t)ceil(size / pieces);
    return most[dim] < plan->largest[dim];
}

/* Cuts what each owner has of the free dimension in two, so that half of what is the rank's own can
 * be multiplied while the first comes, half while the last leaves. */
static bool cut_halves(const sct_plan *plan, int64_t most[SCT_DIMS]) {
    int dim = sct_free_dim(plan->stay);
    double size = (double)plan->largest[dim];
    if (!sct_plan_comes_and_leaves(plan))
        return false;
    most[dim] = (int64_t)ceil(size / sct_leave_halves(size));
    return most[dim] < plan->largest[dim];
}

/* Chooses the next dimension to cut in half: of the matrix whose slots take the most; the free one
 * first, whose pieces only come one after another. Small k costs the BLAS least, and small pieces
 * of the dimension in which C's lines run cost it less than few lines. */
static bool cut_more(const sct_plan *plan, int levels, int64_t most[SCT_DIMS]) {
    const int64_t floors[LEVELS][2] = {{least_k(plan), 512}, {64, 64}, {1, 1}};
    int along = sct_product_line_dim(&plan->product);
    int order[] = {plan->nest[0], SCT_DIM_K, along == SCT_DIM_N ? SCT_DIM_M : SCT_DIM_N, along};
    int matrix = greediest(plan);
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

/* What a rank may take without being told a limit, if pieces that are good for the BLAS allow it: a
 * little beside its parts; a process of its own, a little more. */
static uint64_t modest_workspace(const sct_plan *plan) {
    const sct_product *product = &plan->product;
    uint64_t own = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        size_t bytes = 0;
        sct_layout_bytes(product->layout[matrix], product->type[matrix], plan->rank, &bytes);
        own += bytes;
    }
    return plan->sums_bytes + own / 16 + (all_near(plan) ? NEAR_BYTES : FAR_BYTES);
}

/* What the largest step fetches from beyond reach, at most. */
static double fetched_bytes(const sct_plan *plan) {
    double sum = 0;
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
        if (matrix != plan->stay && !sct_product_all_near(&plan->product, matrix))
            sum += (double)plan->largest[sct_matrix_dim(matrix, 0)] *
                   (double)plan->largest[sct_matrix_dim(matrix, 1)] *
                   (double)sct_type_bytes(plan->product.type[matrix]);
    return sum;
}

static void look_far(sct_plan *plan) {
    const sct_product *product = &plan->product;
    int64_t others = sct_min(product->ranks - 1, MOST_OTHERS);
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        others = sct_min(others, MOST_OTHERS / product->ranks_per_node[matrix]);
    others = sct_max(others, LEAST_OTHERS);
    double steps = (double)(others * AHEAD_BYTES) / fmax(fetched_bytes(plan), 1);
    plan->fetches_ahead = (int)fmax(plan->fetches_ahead, fmin(steps, MOST_AHEAD));
}

static sct_status slice(sct_plan *plan, const int64_t most[SCT_DIMS], bool far) {
    sct_plan_unslice(plan);
    sct_status status = sct_plan_slice(plan, most);
    if (!status && far)
        look_far(plan);
    if (!status)
        status = sct_plan_arrange(plan);
    return status ? status : sct_plan_count(plan);
}

sct_status sct_plan_fit(sct_plan *plan) {
    /* A search is of few steps; and what is fetched as early as can be takes the same room however
     * it is cut. */
    bool free_to_cut =
        plan->options.slicing == SCT_SLICE_CLASS && plan->options.schedule != SCT_EXHAUSTIVE;
    bool to_be_modest = free_to_cut && plan->options.schedule == SCT_DIRECT;
    int64_t most[SCT_DIMS] = {0, 0, 0};
    uint64_t modest = modest_workspace(plan);
    bool hopeless = plan->options.workspace && plan->options.workspace < plan->sums_bytes;
    int64_t enough = hopeless ? hopeless_steps : most_steps;
    bool tight = plan->options.workspace && plan->options.workspace < modest;
    bool far = plan->fetches_ahead > 0 && !tight;
    plan->fetches_ahead = far ? plan->fetches_ahead : 0;
    sct_status status = slice(plan, most, far);
    if ((!status || status == SCT_WORKSPACE) && free_to_cut) {
        bool panels = cut_panels(plan, most), sums = cut_sums(plan, most);
        bool halves = far && cut_halves(plan, most), slices = far && cut_slices(plan, most);
        status = panels || sums || halves || slices ? slice(plan, most, far) : status;
    }
    for (;;) {
        bool ample = !status && !plan->options.workspace && plan->cost.workspace > modest;
        int levels = status == SCT_WORKSPACE ? LEVELS : ample && to_be_modest;
        if (levels > 0 && far) {
            far = false;
            plan->fetches_ahead = 0;
        } else if (plan->steps > enough || !cut_more(plan, levels, most)) {
            return status;
        }
        status = slice(plan, most, far);
    }
}
