/* log_plan.c - a plan as a line of the log: the product, who computes what, and what that costs;
 * and what more workspace would gain. */
#include "api/log_plan.h"

#include "base/log.h"
#include "cost/workload.h"
#include "planner/options.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { LAYOUT = 64 };

/* The seconds of the rank; NAN: there is no memory to estimate them. */
static double estimate(const sct_plan *plan, const sct_machine *machine) {
    struct sct_machine usual;
    sct_workload work = {.computing = 0};
    if (!machine) {
        usual = sct_machine_default(plan->product.node, plan->product.gpus);
        machine = &usual;
    }
    if (sct_workload_of_plan(plan, machine, &work))
        return NAN;
    return sct_workload_seconds(machine, plan->product.ranks, &work);
}

/* What stays where it is, or the layout of the work. */
static void describe_work(const sct_plan *plan, char text[LAYOUT + 8]) {
    char layout[LAYOUT];
    const sct_layout *work = sct_plan_work(plan);
    if (work) {
        sct_layout_print(work, layout, sizeof layout);
        snprintf(text, LAYOUT + 8, "work %s", layout);
    } else {
        snprintf(text, LAYOUT + 8, "%c stays", "ABC"[plan->work.shape]);
    }
}

void sct_log_plan(const sct_plan *plan, const sct_machine *machine) {
    const sct_product *product = &plan->product;
    const sct_cost *cost = &plan->cost;
    char layout[SCT_MATS][LAYOUT], work[LAYOUT + 8];
    if (!sct_log_wants(SCT_LOG_INFO, plan->rank))
        return;
    for (int i = 0; i < SCT_MATS; i++)
        sct_layout_print(product->layout[i], layout[i], sizeof layout[i]);
    describe_work(plan, work);
    sct_log_write(SCT_LOG_INFO, plan->rank,
                  "plan for %" PRId64 "x%" PRId64 "x%" PRId64
                  " %s, A %s, B %s, C %s: %s, %s order, "
                  "%" PRId64 " step%s, %.3g s estimated, %" PRIu64 " bytes fetched, %" PRIu64
                  " accumulated, %" PRIu64 " in place, %" PRIu64 " of workspace",
                  product->size[SCT_DIM_M], product->size[SCT_DIM_N], product->size[SCT_DIM_K],
                  sct_type_name(product->type[SCT_MAT_A]), layout[SCT_MAT_A], layout[SCT_MAT_B],
                  layout[SCT_MAT_C], work, sct_schedule_name(plan->options.schedule), cost->steps,
                  cost->steps == 1 ? "" : "s", estimate(plan, machine), cost->bytes_got,
                  cost->bytes_accumulated, cost->bytes_in_place, cost->workspace);
}

static uint64_t moved(const sct_plan *plan) {
    return plan->cost.bytes_got + plan->cost.bytes_accumulated;
}

void sct_log_unlimited(const sct_problem *problem, const sct_options *options,
                       const sct_plan *plan) {
    sct_options unlimited;
    sct_plan *made;
    if (plan->limit == UINT64_MAX || !sct_log_wants(SCT_LOG_INFO, plan->rank) ||
        sct_options_resolve(options, &unlimited))
        return;
    unlimited.workspace = SCT_NO_LIMIT;
    if (sct_plan_create(problem, plan->rank, &unlimited, &made))
        return;
    if (moved(made) < moved(plan))
        sct_log_write(SCT_LOG_INFO, plan->rank,
                      "without a limit on workspace, %" PRIu64 " bytes would be moved, not %" PRIu64
                      ", with %" PRIu64 " of workspace",
                      moved(made), moved(plan), made->cost.workspace);
    sct_plan_destroy(made);
}
