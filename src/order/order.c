/* order.c - groups as they are added one by one, and their cost. */
#include "order/order.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>

sct_status sct_draft_create(const sct_graph *graph, sct_draft *draft) {
    size_t steps = (size_t)graph->steps + 1, data = (size_t)graph->data + 1;
    *draft = (sct_draft){.group = calloc(steps + data, sizeof *draft->group),
                         .step = calloc(steps, sizeof *draft->step),
                         .datum = calloc(data, sizeof *draft->datum)};
    if (draft->group && draft->step && draft->datum)
        return SCT_OK;
    sct_draft_clear(draft);
    return sct_fail(SCT_NO_MEMORY, "no memory for an order of %lld steps", (long long)graph->steps);
}

void sct_draft_clear(sct_draft *draft) {
    free(draft->group);
    free(draft->step);
    free(draft->datum);
}

void sct_draft_add_step(sct_draft *draft, int64_t step) {
    draft->step[draft->steps++] = step;
}

void sct_draft_add_datum(sct_draft *draft, int64_t datum) {
    draft->datum[draft->data++] = datum;
}

void sct_draft_end_group(sct_draft *draft) {
    draft->group[draft->groups++] = (sct_bounds){draft->steps, draft->data};
}

void sct_graph_move(const sct_graph *graph, int64_t index, sct_sums *moving) {
    const sct_datum *datum = &graph->datum[index];
    for (int64_t i = datum->dues; i < datum->dues + datum->tolls; i++)
        sct_sums_add(moving, graph->toll[i].channel, graph->toll[i].seconds);
}

double sct_group_seconds(double multiplying, const sct_sums *moving) {
    return fmax(moving->most, multiplying + moving->sum[SCT_CHANNEL_RANK]);
}

sct_status sct_draft_seconds(const sct_graph *graph, const sct_draft *draft, double *seconds) {
    int64_t *done = calloc((size_t)graph->data + 1, sizeof *done); /* steps of each run */
    sct_sums moving;
    if (!done)
        return sct_fail(SCT_NO_MEMORY, "no memory for %lld runs", (long long)graph->data);
    sct_status status = sct_sums_create(graph->channels, &moving);
    double sum = 0;
    sct_bounds at = {0, 0};
    for (int64_t g = 0; g < draft->groups && !status; g++) {
        double multiplying = 0;
        for (; at.steps < draft->group[g].steps; at.steps++) {
            int64_t step = draft->step[at.steps], run = sct_graph_run(graph, step);
            multiplying += graph->node[step].seconds;
            if (run >= 0 && ++done[run] == graph->datum[run].users)
                sct_graph_move(graph, run, &moving);
        }
        for (; at.data < draft->group[g].data; at.data++)
            sct_graph_move(graph, draft->datum[at.data], &moving);
        sum += sct_group_seconds(multiplying, &moving);
        sct_sums_reset(&moving);
    }
    sct_sums_clear(&moving);
    free(done);
    if (!status)
        *seconds = sum;
    return status;
}
