/* work_choice.c - chooses the fastest work layouts: those of A, B and C, and a grid of ranks.
 *
 * The times of all candidates are estimated. On a described machine with few ranks, the best are
 * then simulated. All ranks must make the same choice, so it depends only on the product, the
 * machine and options that are the same on all ranks. */
#include "base/checked.h"
#include "cost/estimate.h"
#include "plan/constants.h"
#include "planner/planner.h"
#include "planner/work_grids.h"
#include "sim/sim.h"

#include <math.h>

static double elements(const sct_product *product, int matrix) {
    return (double)product->size[sct_matrix_dim(matrix, 0)] *
           (double)product->size[sct_matrix_dim(matrix, 1)];
}

/* Breaks a tie: prefers the larger matrix, or the one whose contributions are not cut along the
 * lines of C, since the BLAS is slow on short lines. */
static bool is_preferred(const sct_product *product, int matrix, int other) {
    double one = elements(product, matrix), two = elements(product, other);
    return one > two || (one == two && sct_free_dim(other) == sct_product_line_dim(product));
}

/* ---- Estimates ---- */

/* A work layout and its time. */
typedef struct sct_contestant {
    sct_work_layout work;
    sct_estimate estimate;
} sct_contestant;

static bool is_better(const sct_product *product, const sct_contestant *one,
                      const sct_contestant *other) {
    double weight = sct_estimate_weight(one->estimate),
           others = sct_estimate_weight(other->estimate);
    return weight < others || (weight == others && one->work.stationary &&
                               is_preferred(product, one->work.shape, other->work.shape));
}

/* ---- Finals ---- */

/* One that takes longer than the best by this factor is not worth measuring. */
static const double worth_measuring = 2;

/* Those with a stationary matrix, C first, and the best grid, if there is any. */
typedef struct sct_finals {
    const sct_product *product;
    const sct_machine *machine;
    const sct_options *options;
    int count;
    sct_contestant finalist[SCT_WORK_CANDIDATES];
} sct_finals;

/* Where ranks copy what they need, nothing overlaps, and estimates are exact. */
static bool is_simulated(const sct_finals *finals) {
    const sct_product *product = finals->product;
    return product->ranks > 1 && product->ranks <= SCT_SIMULATED_RANKS &&
           finals->machine->peak[product->type[SCT_MAT_A]] > 0 &&
           !sct_ranks_copy(product, finals->machine);
}

/* Only options that are the same on all ranks, and without an order that takes long to find. */
static sct_options common_options(const sct_options *options) {
    return (sct_options){.size = sizeof *options,
                         .slicing = options->slicing,
                         .fetch = options->fetch,
                         .result = options->result,
                         .workspace = options->workspace,
                         .sync = options->sync,
                         .ordered = options->ordered,
                         .start = options->start,
                         .machine = options->machine};
}

/* Plans all ranks with a work layout, and runs the plans in virtual time. `complete` is false, and
 * `seconds` is not set, if that would take too long or a plan could not be made. */
static sct_status simulate_work(const sct_finals *finals, const sct_work_layout *work,
                                double *seconds, bool *complete) {
    sct_sim sim;
    int ranks = finals->product->ranks;
    const sct_options common = common_options(finals->options);
    sct_status status = sct_sim_create(finals->machine, NULL, ranks, &sim);
    if (status)
        return status;
    sim.most_work = sct_simulated_events;
    for (int rank = 0; rank < ranks && !status; rank++) {
        sct_plan *plan = NULL;
        status = sct_plan_of_work(finals->product, &common, rank, work, &plan);
        if (!status)
            status = sct_sim_add(&sim, plan);
        if (!status)
            status = sct_sim_check_work(&sim);
        sct_plan_destroy(plan);
    }
    if (!status)
        status = sct_sim_run(&sim);
    *complete = !status;
    if (!status)
        *seconds = sim.now;
    sct_sim_clear(&sim);
    return status == SCT_NO_MEMORY ? status : SCT_OK;
}

/* Replaces the estimated times by simulated ones, unless simulating would take too long. The
 * simulation lets ranks share links, so nothing is added for communication, as it is to estimates.
 */
static sct_status simulate(sct_finals *finals) {
    sct_estimate found[SCT_WORK_CANDIDATES];
    for (int i = 0; i < finals->count; i++) {
        bool complete;
        found[i] = (sct_estimate){.slowest = 0};
        sct_status status =
            simulate_work(finals, &finals->finalist[i].work, &found[i].slowest, &complete);
        if (status || !complete)
            return status;
    }
    for (int i = 0; i < finals->count; i++)
        finals->finalist[i].estimate = found[i];
    return SCT_OK;
}

/* Sorts the finalists, best first. Of equal ones, the first stays first. */
static void sort(sct_finals *finals) {
    for (int i = 1; i < finals->count; i++) {
        const sct_contestant moved = finals->finalist[i];
        int at = i;
        for (; at > 0 && is_better(finals->product, &moved, &finals->finalist[at - 1]); at--)
            finals->finalist[at] = finals->finalist[at - 1];
        finals->finalist[at] = moved;
    }
}

/* Estimates the best grid, then the stationary matrices. Unless `all` finalists are simulated or
 * wanted, those that weigh more than another one before them cannot win: they need no exact
 * estimate. */
static sct_status estimate(const sct_work_proposals *proposals, bool all, sct_finals *finals) {
    static const int stationary[SCT_MATS] = {SCT_MAT_C, SCT_MAT_A, SCT_MAT_B};
    const sct_product *product = finals->product;
    sct_contestant *grid = &finals->finalist[SCT_MATS];
    double least = INFINITY;
    sct_estimate found;
    for (int i = 0; i < proposals->count; i++) {
        const sct_work_layout *work = &proposals->work[i];
        sct_status status = sct_estimate_find(product, finals->machine, work, least, &found);
        if (status)
            return status;
        double weight = sct_estimate_weight(found);
        if (i == 0 || weight < least)
            *grid = (sct_contestant){*work, found};
        least = sct_smaller(least, weight);
    }
    finals->count = SCT_MATS + (proposals->count > 0);
    for (int i = 0; i < SCT_MATS; i++) {
        sct_work_layout kept = sct_work_stationary(product, stationary[i]);
        sct_status status =
            sct_estimate_find(product, finals->machine, &kept, all ? INFINITY : least, &found);
        if (status)
            return status;
        finals->finalist[i] = (sct_contestant){kept, found};
        least = sct_smaller(least, sct_estimate_weight(found));
    }
    return SCT_OK;
}

/* Hands out the best, at most `most` of those that are close to the first. */
static int hand_out(const sct_finals *finals, int most, sct_work_layout *work) {
    double limit = worth_measuring * sct_estimate_weight(finals->finalist[0].estimate);
    int count = 0;
    while (count < finals->count && count < most &&
           (count == 0 || sct_estimate_weight(finals->finalist[count].estimate) <= limit)) {
        work[count] = finals->finalist[count].work;
        sct_layout_hold(work[count++].layout);
    }
    return count;
}

sct_status sct_work_choose(const sct_product *product, const sct_options *options, bool described,
                           int most, sct_work_layout *work, int *count) {
    sct_finals finals = {.product = product, .machine = options->machine, .options = options};
    bool simulated = described && is_simulated(&finals);
    sct_work_proposals proposals;
    sct_status status = sct_work_propose(product, finals.machine,
                                         sct_workspace_limit_of_all(product, options), &proposals);
    if (status)
        return status;
    status = estimate(&proposals, simulated || most > 1, &finals);
    if (simulated && !status)
        status = simulate(&finals);
    if (!status) {
        sort(&finals);
        *count = hand_out(&finals, most, work);
    }
    sct_work_proposals_clear(&proposals);
    return status;
}
