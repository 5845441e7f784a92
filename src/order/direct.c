/* direct.c - direct order, in groups like any other order, so that it can be compared with them. */
#include "order/order.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>

typedef struct follower {
    const sct_graph *graph;
    sct_step_order *order;
    bool *fetched; /* by slice: possibly in this group */
    int64_t next;  /* all steps before it have their slices in place or fetched */
} follower;

/* The first slice that a step lacks; -1: none. */
static int64_t lacking(const follower *f, int64_t step) {
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++) {
        int64_t slice = f->graph->node[step].slice[matrix];
        if (!f->fetched[slice] && !f->graph->slice[slice].in_place)
            return slice;
    }
    return -1;
}

/* Fetches up to `most` slices for steps before `end`. */
static void fetch(follower *f, int most, int64_t end) {
    while (f->next < end) {
        int64_t slice = lacking(f, f->next);
        if (slice < 0) {
            f->next++;
            continue;
        }
        if (most-- == 0)
            return;
        f->fetched[slice] = true;
        sct_step_order_add_fetch(f->order, slice);
    }
}

sct_status sct_step_order_direct(const sct_graph *graph, sct_limits limits, sct_step_order *order) {
    follower f = {.graph = graph,
                  .order = order,
                  .fetched = calloc((size_t)graph->slices + 1, sizeof *f.fetched)};
    if (!f.fetched)
        return sct_fail(SCT_NO_MEMORY, "no memory to order %lld steps", (long long)graph->steps);
    for (int64_t step = 0; step < graph->steps; step++) {
        int64_t end = sct_min(step + 1 + limits.ahead, graph->steps);
        fetch(&f, 0, step + 1); /* fetches nothing, but passes steps that lack nothing */
        while (f.next <= step) {
            fetch(&f, limits.transfers, end);
            sct_step_order_end_group(order);
        }
        sct_step_order_add_step(order, step);
        fetch(&f, limits.transfers, end);
        sct_step_order_end_group(order);
    }
    free(f.fetched);
    return SCT_OK;
}
