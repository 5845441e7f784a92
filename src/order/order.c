/* order.c - builds an order group by group, and adds up its seconds. */
#include "order/order.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>

sct_status sct_step_order_create(const sct_graph *graph, sct_step_order *order) {
    size_t steps = (size_t)graph->steps + 1, slices = (size_t)graph->slices + 1;
    *order = (sct_step_order){.group = calloc(steps + slices, sizeof *order->group),
                              .step = calloc(steps, sizeof *order->step),
                              .slice = calloc(slices, sizeof *order->slice)};
    if (order->group && order->step && order->slice)
        return SCT_OK;
    sct_step_order_clear(order);
    return sct_fail(SCT_NO_MEMORY, "no memory for an order of %lld steps", (long long)graph->steps);
}

void sct_step_order_clear(sct_step_order *order) {
    free(order->group);
    free(order->step);
    free(order->slice);
}

void sct_step_order_add_step(sct_step_order *order, int64_t step) {
    order->step[order->steps++] = step;
}

void sct_step_order_add_fetch(sct_step_order *order, int64_t slice) {
    order->slice[order->slices++] = slice;
}

void sct_step_order_end_group(sct_step_order *order) {
    order->group[order->groups++] = (sct_bounds){order->steps, order->slices};
}

void sct_graph_move(const sct_graph *graph, int64_t index, sct_sparse_sums *moving) {
    const sct_graph_slice *slice = &graph->slice[index];
    for (int64_t i = slice->first_use; i < slice->first_use + slice->uses; i++)
        sct_sparse_sums_add(moving, graph->use[i].resource, graph->use[i].seconds);
}

double sct_group_seconds(double multiplying, const sct_sparse_sums *moving) {
    return sct_larger(moving->most, multiplying + moving->sum[SCT_RESOURCE_RANK]);
}

sct_status sct_step_order_seconds(const sct_graph *graph, const sct_step_order *order,
                                  double *seconds) {
    int64_t *done = calloc((size_t)graph->slices + 1, sizeof *done); /* steps of each run so far */
    sct_sparse_sums moving;
    if (!done)
        return sct_fail(SCT_NO_MEMORY, "no memory for %lld runs", (long long)graph->slices);
    sct_status status = sct_sparse_sums_create(graph->resources, &moving);
    double sum = 0;
    sct_bounds at = {0, 0};
    for (int64_t g = 0; g < order->groups && !status; g++) {
        double multiplying = 0;
        for (; at.steps < order->group[g].steps; at.steps++) {
            int64_t step = order->step[at.steps], run = sct_graph_run(graph, step);
            multiplying += graph->node[step].seconds;
            if (run >= 0 && ++done[run] == graph->slice[run].users)
                sct_graph_move(graph, run, &moving);
        }
        for (; at.slices < order->group[g].slices; at.slices++)
            sct_graph_move(graph, order->slice[at.slices], &moving);
        sum += sct_group_seconds(multiplying, &moving);
        sct_sparse_sums_reset(&moving);
    }
    sct_sparse_sums_clear(&moving);
    free(done);
    if (!status)
        *seconds = sum;
    return status;
}
