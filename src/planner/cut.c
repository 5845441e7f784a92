/* cut.c - makes the steps of a plan: the judge decides how, and pieces are cut further until the
 * workspace limit holds, which is the one given, or as much as the rank's own parts of the
 * matrices take. */
#include "base/checked.h"
#include "cost/judge.h"
#include "order/order.h"
#include "plan/constants.h"
#include "planner/planner.h"

#include <math.h>

/* ---- The limit on workspace ---- */

/* The bytes of a rank's parts of A, B and C. */
static double own_parts(const sct_product *product, int rank) {
    double parts = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        size_t bytes = 0;
        sct_layout_bytes(product->layout[matrix], product->type[matrix], rank, &bytes);
        parts += (double)bytes;
    }
    return parts;
}

/* The mean of all ranks. */
static double mean_parts(const sct_product *product) {
    double parts = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        const sct_layout *layout = product->layout[matrix];
        parts += (double)layout->rows.extent * (double)layout->cols.extent * layout->replicas *
                 (double)sct_type_bytes(product->type[matrix]);
    }
    return parts / product->ranks;
}

static double limit_for(const sct_options *options, double parts) {
    double capacity = options->machine->capacity;
    double left = capacity > 0 ? capacity - parts : INFINITY;
    if (options->workspace == SCT_NO_LIMIT)
        return INFINITY;
    if (options->workspace > 0)
        return (double)options->workspace;
    return sct_smaller(sct_larger(parts, SCT_LEAST_LIMIT), sct_larger(left, 1));
}

double sct_workspace_limit(const sct_product *product, const sct_options *options, int rank) {
    return limit_for(options, own_parts(product, rank));
}

double sct_workspace_limit_of_all(const sct_product *product, const sct_options *options) {
    return limit_for(options, mean_parts(product));
}

/* ---- Steps ---- */

/* A workspace limit that needs more steps than this is refused. If it does not even hold the f32
 * sums of C, which cutting does not shrink, a few steps suffice to find how much it lacks. */
static const int64_t usual_max_steps = 1000000, unholdable_steps = 10000;

typedef struct sct_cutter {
    sct_plan *plan;
    sct_judge judge;
    int ahead; /* steps fetched ahead at least; 0: not by bytes */
} sct_cutter;

/* The workspace grows with the rank's own parts of the matrices, and is larger if operands are
 * remote. It is largest without a stationary matrix, since slices of one operand then stay in it
 * for the next sum. plan/constants.h says how other sizes compare. */
static uint64_t default_workspace(const sct_plan *plan) {
    const sct_product *product = &plan->product;
    uint64_t parts = 0;
    bool near = true;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        size_t bytes = 0;
        sct_layout_bytes(product->layout[matrix], product->type[matrix], plan->rank, &bytes);
        parts += bytes;
        near = near && sct_product_all_near(product, matrix);
    }
    uint64_t share = plan->work.stationary ? SCT_KEEPING_SHARE : 1;
    return plan->sums_bytes + parts / share + (near ? SCT_NEAR_WORKSPACE : SCT_FAR_WORKSPACE);
}

/* Slices one dimension for the judge. */
static sct_status find_pieces(void *self, int dim, int gathered, sct_judged_pieces *found) {
    const sct_cutter *cutter = self;
    sct_dimension d = sct_plan_dimension(cutter->plan, dim, cutter->judge.cell);
    sct_pieces pieces;
    d.ignore_owners[0] = gathered & 1;
    d.ignore_owners[1] = gathered >> 1;
    d.range = sct_dimension_typical(&d);
    sct_status status = sct_pieces_create(&d, &pieces);
    if (status)
        return status;
    *found = (sct_judged_pieces){.sets = (double)pieces.sets};
    for (int side = 0; side < 2; side++) {
        found->scattered[side] = pieces.scattered[side];
        found->split[side] = pieces.split[side];
    }
    sct_pieces_clear(&pieces);
    return SCT_OK;
}

static sct_status decide(sct_cutter *cutter) {
    sct_plan *plan = cutter->plan;
    sct_judge *judge = &cutter->judge;
    judge->slice = find_pieces;
    judge->self = cutter;
    sct_judge_look(&plan->product, plan->options.machine, &plan->work, plan->rank, judge);
    return sct_judge_decide(judge, &plan->decisions);
}

/* Upper bound of the remote bytes of one step. */
static double largest_fetch(const sct_plan *plan) {
    double sum = 0;
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
        if (!sct_work_keeps(&plan->work, matrix) && !sct_product_all_near(&plan->product, matrix))
            sum += (double)plan->largest[sct_matrix_dim(matrix, 0)] *
                   (double)plan->largest[sct_matrix_dim(matrix, 1)] *
                   sct_product_element(&plan->product, matrix);
    return sum;
}

/* Makes the steps as the decisions say. */
static sct_status make(sct_cutter *cutter) {
    sct_plan *plan = cutter->plan;
    sct_plan_unslice(plan);
    sct_status status = sct_plan_slice(plan);
    if (!status && cutter->ahead > 0) {
        double steps = plan->options.machine->ahead / sct_larger(largest_fetch(plan), 1);
        plan->decisions.ahead = (int)sct_larger(cutter->ahead, sct_smaller(steps, SCT_MOST_AHEAD));
    }
    if (!status)
        status = sct_plan_arrange(plan);
    return status ? status : sct_plan_count(plan);
}

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

/* Halves the pieces of one dimension of the matrix with the largest slots: the one that costs the
 * least time. Of equal ones, the outermost loop's, whose pieces are needed one after another; that
 * along C's lines last, since short lines cost the BLAS most. */
static bool cut_more(sct_cutter *cutter) {
    sct_plan *plan = cutter->plan;
    int along = sct_product_line_dim(&plan->product);
    int order[] = {plan->decisions.nest[0], SCT_DIM_K, SCT_DIM_M + SCT_DIM_N - along, along};
    int matrix = largest_slot_user(plan);
    double least = INFINITY;
    sct_decisions best = plan->decisions;
    if (slots_bytes(plan, matrix) == 0)
        return false;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        sct_decisions halved = plan->decisions;
        int64_t size = plan->largest[order[i]];
        if (size <= 1 || !sct_matrix_has(matrix, order[i]))
            continue;
        halved.most[order[i]] = (size + 1) / 2;
        double seconds = sct_judge_try(&cutter->judge, &halved);
        if (seconds < least) {
            least = seconds;
            best = halved;
        }
    }
    plan->decisions = best;
    return least < INFINITY;
}

static bool is_over(const sct_plan *plan) {
    return plan->wanted > plan->limit;
}

/* If the plan needs more workspace than its limit, decides again how to cut it, so that it fits and
 * still fetches nothing twice. The judge only estimates workspace, so the target is lowered until
 * the plan fits. If there are no such decisions, the plan stays as it is. */
static sct_status make_within(sct_cutter *cutter, sct_status made) {
    static const double less = 0.9;
    enum { TRIES = 7 }; /* the last with about half of the limit */
    sct_plan *plan = cutter->plan;
    uint64_t others = plan->sums_bytes + plan->reduce_bytes;
    if (!cutter->judge.cuts || plan->limit <= others)
        return made;
    double room = (double)(plan->limit - others);
    for (int tries = 0; tries < TRIES && is_over(plan); tries++) {
        bool fits;
        sct_status status = sct_judge_decide_within(&cutter->judge, room, &plan->decisions, &fits);
        if (status || !fits)
            return status ? status : made;
        made = make(cutter);
        room *= less;
    }
    return made;
}

/* Makes the steps, and cuts them until the workspace holds what each step needs. */
static sct_status fit(sct_cutter *cutter) {
    sct_plan *plan = cutter->plan;
    bool unholdable = plan->limit < plan->sums_bytes;
    int64_t max_steps = unholdable ? unholdable_steps : usual_max_steps;
    sct_status status = make(cutter);
    if ((!status || status == SCT_WORKSPACE) && is_over(plan))
        status = make_within(cutter, status);
    for (; status == SCT_WORKSPACE; status = make(cutter)) {
        if (cutter->ahead > 0)
            cutter->ahead = plan->decisions.ahead = 0;
        else if (plan->steps > max_steps || !cut_more(cutter))
            break;
    }
    return status;
}

/* Exhaustive search takes few steps only, so nothing is cut for it. With tiles, pieces are those of
 * the paper. */
static void begin(sct_plan *plan, sct_cutter *cutter) {
    const sct_options *options = &plan->options;
    uint64_t usual = default_workspace(plan);
    bool tight = options->workspace && options->workspace < usual;
    *cutter = (sct_cutter){.plan = plan};
    cutter->judge.room = (double)usual;
    bool classes = options->slicing == SCT_SLICE_CLASS;
    plan->decisions.ahead = cutter->ahead = tight ? 0 : plan->decisions.ahead;
    cutter->judge.sums = options->products_in_flight + options->accumulates_in_flight;
    cutter->judge.gathers = classes;
    cutter->judge.cuts = classes && options->schedule != SCT_EXHAUSTIVE;
    cutter->judge.alike = options->start == SCT_START_ALIKE;
    plan->exclusive = sct_work_one_writer(&plan->product, &plan->work);
    sct_work_nest(&plan->product, &plan->work, plan->decisions.nest);
}

sct_status sct_plan_cut(sct_plan *plan) {
    sct_cutter cutter;
    begin(plan, &cutter);
    if (plan->options.decisions) {
        plan->decisions = *plan->options.decisions;
        cutter.ahead = 0; /* decisions.ahead is given, too */
        return make(&cutter);
    }
    sct_status status = decide(&cutter);
    if (!status)
        status = fit(&cutter);
    if (status != SCT_WORKSPACE || plan->options.workspace > 0)
        return status;
    /* What cannot be cut to the default limit takes more. */
    plan->limit = UINT64_MAX;
    plan->decisions = (sct_decisions){.size = sizeof plan->decisions};
    begin(plan, &cutter);
    status = decide(&cutter);
    return status ? status : make(&cutter);
}
