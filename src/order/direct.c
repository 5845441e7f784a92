/* direct.c - direct order as groups, so that it can be held against other orders. */
#include "order/order.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>

typedef struct follower {
    const sct_graph *graph;
    sct_draft *draft;
    bool *there;  /* by datum: in place, or fetched, be it in this group */
    int64_t next; /* no step before it lacks anything */
} follower;

/* The first of what a step lacks; -1: nothing. */
static int64_t lacking(const follower *f, int64_t step) {
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++) {
        int64_t datum = f->graph->node[step].datum[matrix];
        if (!f->there[datum] && !f->graph->datum[datum].in_place)
            return datum;
    }
    return -1;
}

/* Up to so many data, of steps before `end`. */
static void fetch(follower *f, int most, int64_t end) {
    while (f->next < end) {
        int64_t datum = lacking(f, f->next);
        if (datum < 0) {
            f->next++;
            continue;
        }
        if (most-- == 0)
            return;
        f->there[datum] = true;
        sct_draft_add_datum(f->draft, datum);
    }
}

sct_status sct_draft_follow(const sct_graph *graph, sct_limits limits, sct_draft *draft) {
    follower f = {
        .graph = graph, .draft = draft, .there = calloc((size_t)graph->data + 1, sizeof *f.there)};
    if (!f.there)
        return sct_fail(SCT_NO_MEMORY, "no memory to order %lld steps", (long long)graph->steps);
    for (int64_t step = 0; step < graph->steps; step++) {
        int64_t end = sct_min(step + 1 + limits.ahead, graph->steps);
        for (fetch(&f, 0, step + 1); f.next <= step; sct_draft_end_group(draft))
            fetch(&f, limits.transfers, end);
        sct_draft_add_step(draft, step);
        fetch(&f, limits.transfers, end);
        sct_draft_end_group(draft);
    }
    free(f.there);
    return SCT_OK;
}
