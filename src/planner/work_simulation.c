/* work_simulation.c - plans all ranks with a work layout, and runs the plans in virtual time. */
#include "planner/work_simulation.h"

#include "planner/planner.h"
#include "sim/sim.h"

/* The limit of events, with which a simulation takes about fifty milliseconds. With a tenth: 1.001
 * on 2 to 16 ranks of cluster (the small products of cost/weights.h). With ten times as
 * many: 1.000. */
static const double most_work = 1e5;

/* Only options that are the same on all ranks, and without an order that takes long to find. */
static sct_options common_options(const sct_options *options) {
    return (sct_options){.size = sizeof *options,
                         .slicing = options->slicing,
                         .fetch = options->fetch,
                         .result = options->result,
                         .sync = options->sync,
                         .ordered = options->ordered,
                         .start = options->start,
                         .machine = options->machine};
}

sct_status sct_work_simulate(const sct_product *product, const sct_options *options,
                             const sct_work_layout *work, double *seconds, bool *complete) {
    sct_sim sim;
    const sct_options common = common_options(options);
    const sct_rank_subset all = {0, product->ranks};
    sct_status status = sct_sim_create(options->machine, NULL, product->ranks, all, &sim);
    if (status)
        return status;
    sim.most_work = most_work;
    for (int rank = 0; rank < product->ranks && !status; rank++) {
        sct_plan *plan = NULL;
        status = sct_plan_of_work(product, &common, rank, work, &plan);
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
