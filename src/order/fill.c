/* fill.c - makes an order group by group: each group is filled with ready steps and with fetches of
 * missing slices, up to its limits.
 *
 * The policy's width says how many candidates are compared. Of slices, the best one lets most
 * seconds of products begin per second of waiting. Of steps, the best one is that with which the
 * group's products take as long as its transfers. With width 1 the first candidate is taken: that
 * is the greedy order. */
#include "order/order.h"

#include "base/checked.h"
#include "base/priority_queue.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

typedef struct filler {
    const sct_graph *graph;
    sct_limits limits;
    sct_fill_policy policy;
    sct_step_order *order;
    bool *there;              /* by slice: in place or fetched, possibly in this group */
    int *lacks;               /* by step: missing slices */
    bool *done;               /* by step */
    int64_t *left;            /* by slice: steps of the run to do */
    int64_t run;              /* the run in progress, or -1 */
    int64_t next;             /* all steps before it have their slices here or on the way */
    sct_priority_queue ready; /* by number: steps to do whose slices are here */
    int64_t *seen;            /* scratch: candidates taken from `ready` */
    double multiplying;       /* seconds of the group's products */
    sct_sparse_sums moving;   /* use of resources by its transfers */
} filler;

/* The best candidate so far; of equals the first. */
typedef struct choice {
    int64_t item; /* -1: none */
    double merit;
} choice;

static void consider(choice *best, int64_t item, double merit) {
    if (best->item < 0 || merit > best->merit)
        *best = (choice){item, merit};
}

/* A lower bound on the group's seconds until this slice has come, if the group fetches it too. */
static double until(const filler *f, int64_t index) {
    const sct_graph_slice *slice = &f->graph->slice[index];
    double most = 0;
    for (int64_t i = slice->first_use; i < slice->first_use + slice->uses; i++) {
        const sct_resource_use *use = &f->graph->use[i];
        double before = use->resource == SCT_RESOURCE_RANK ? f->multiplying : 0;
        most = sct_larger(most, before + f->moving.sum[use->resource] + use->seconds);
    }
    return most;
}

/* Considers the first slice that a step lacks, by the merit of the step: the seconds of its product
 * for each second until all its slices are here. */
static void consider_slices(const filler *f, int64_t step, choice *best) {
    const sct_node *node = &f->graph->node[step];
    int64_t first = -1;
    double seconds = 0;
    for (int matrix = SCT_MAT_B; matrix >= SCT_MAT_A; matrix--) {
        int64_t slice = node->slice[matrix];
        if (f->there[slice])
            continue;
        first = slice;
        seconds = sct_larger(seconds, until(f, slice));
    }
    if (first >= 0)
        consider(best, first, node->seconds / seconds);
}

static bool on_its_way(const filler *f, int64_t step) {
    const int64_t *slice = f->graph->node[step].slice;
    return f->there[slice[SCT_MAT_A]] && f->there[slice[SCT_MAT_B]];
}

static void add_ready(filler *f, int64_t step) {
    sct_priority_queue_set(&f->ready, step, (double)step);
}

/* The first ready step; -1: none. */
static int64_t first_ready(const filler *f) {
    return sct_priority_queue_first(&f->ready).item;
}

/* The run in progress, or that the first ready step would begin; -1: none. */
static int64_t next_run(const filler *f) {
    int64_t step = first_ready(f);
    return f->run >= 0 || step < 0 ? f->run : sct_graph_run(f->graph, step);
}

/* The next slice to fetch: for the run of next_run, otherwise for the first steps in direct order
 * that lack one; -1: none is left. */
static int64_t choose_slice(filler *f) {
    const sct_graph *graph = f->graph;
    choice best = {.item = -1};
    int64_t begun = next_run(f);
    if (begun >= 0) {
        const sct_graph_slice *run = &graph->slice[begun];
        for (int64_t i = 0; i < run->users && (best.item < 0 || f->policy.width > 1); i++)
            consider_slices(f, graph->user[run->first + i], &best);
    }
    if (best.item >= 0)
        return best.item;
    while (f->next < graph->steps && on_its_way(f, f->next))
        f->next++;
    int64_t end = sct_min(f->next + f->policy.width, graph->steps);
    for (int64_t step = f->next; step < end; step++)
        consider_slices(f, step, &best);
    return best.item;
}

/* How well a step's product suits the group, which is to take `more` products for the time that its
 * transfers leave. */
static double fit(const filler *f, int64_t step, int64_t more) {
    double wanted = (f->moving.most - f->multiplying) / (double)more;
    return f->moving.most > 0 ? -fabs(f->graph->node[step].seconds - wanted) : 0;
}

static int64_t choose_from_run(const filler *f, int64_t more) {
    const sct_graph_slice *run = &f->graph->slice[f->run];
    choice best = {.item = -1};
    for (int64_t i = 0; i < run->users && (best.item < 0 || f->policy.width > 1); i++) {
        int64_t step = f->graph->user[run->first + i];
        if (!f->done[step] && f->lacks[step] == 0)
            consider(&best, step, fit(f, step, more));
    }
    return best.item;
}

/* Chooses among the first ready steps, which leave the queue meanwhile. */
static int64_t choose_from_ready(filler *f, int64_t more) {
    choice best = {.item = -1};
    int looked = 0;
    for (int64_t step; looked < f->policy.width && (step = first_ready(f)) >= 0; looked++) {
        sct_priority_queue_drop(&f->ready, step);
        f->seen[looked] = step;
        consider(&best, step, fit(f, step, more));
    }
    for (int i = 0; i < looked; i++)
        if (f->seen[i] != best.item)
            add_ready(f, f->seen[i]);
    return best.item;
}

static void multiply(filler *f, int64_t step) {
    int64_t run = sct_graph_run(f->graph, step);
    f->done[step] = true;
    sct_priority_queue_drop(&f->ready, step);
    f->multiplying += f->graph->node[step].seconds;
    sct_step_order_add_step(f->order, step);
    f->run = run >= 0 && --f->left[run] > 0 ? run : -1;
    if (run >= 0 && f->run < 0)
        sct_graph_move(f->graph, run, &f->moving);
}

/* Makes the group's fetched slices available to later groups. */
static void arrive(filler *f, int64_t first) {
    const sct_graph *graph = f->graph;
    for (int64_t i = first; i < f->order->slices; i++) {
        const sct_graph_slice *slice = &graph->slice[f->order->slice[i]];
        for (int64_t u = slice->first; u < slice->first + slice->users; u++)
            if (--f->lacks[graph->user[u]] == 0)
                add_ready(f, graph->user[u]);
    }
}

/* True if a step that uses the slice is not done and lacks nothing once fetches have arrived. */
static bool any_comes(const filler *f, const sct_graph_slice *slice) {
    for (int64_t u = slice->first; u < slice->first + slice->users; u++)
        if (!f->done[f->graph->user[u]] && on_its_way(f, f->graph->user[u]))
            return true;
    return false;
}

/* True if the next group will have a step to multiply, once slices from number `first` on arrive.
 */
static bool goes_on(const filler *f, int64_t first) {
    const sct_graph_slice *slice = f->graph->slice;
    if (f->run >= 0)
        return any_comes(f, &slice[f->run]);
    bool any = first_ready(f) >= 0;
    for (int64_t i = first; i < f->order->slices && !any; i++)
        any = any_comes(f, &slice[f->order->slice[i]]);
    return any;
}

/* Fetches for the group. A frugal policy adds no transfer that outlasts the products, except what
 * the next group needs. */
static void fetch_slices(filler *f) {
    int64_t first = f->order->slices;
    for (int i = 0; i < f->limits.transfers; i++) {
        int64_t slice = choose_slice(f);
        if (slice < 0)
            break;
        bool longer = until(f, slice) > sct_group_seconds(f->multiplying, &f->moving);
        if (f->policy.frugal && longer && goes_on(f, first))
            break;
        f->there[slice] = true;
        sct_graph_move(f->graph, slice, &f->moving);
        sct_step_order_add_fetch(f->order, slice);
    }
}

static void multiply_steps(filler *f) {
    for (int more = f->limits.products; more > 0; more--) {
        int64_t step = f->run >= 0 ? choose_from_run(f, more) : choose_from_ready(f, more);
        if (step < 0)
            return;
        multiply(f, step);
    }
}

static void fill_group(filler *f) {
    int64_t first = f->order->slices;
    sct_sparse_sums_reset(&f->moving);
    f->multiplying = 0;
    if (!f->policy.frugal)
        fetch_slices(f);
    multiply_steps(f);
    if (f->policy.frugal)
        fetch_slices(f);
    sct_step_order_end_group(f->order);
    arrive(f, first);
}

static sct_status create(const sct_graph *graph, filler *f) {
    size_t steps = (size_t)graph->steps + 1, slices = (size_t)graph->slices + 1;
    f->there = calloc(slices, sizeof *f->there);
    f->lacks = calloc(steps, sizeof *f->lacks);
    f->done = calloc(steps, sizeof *f->done);
    f->left = calloc(slices, sizeof *f->left);
    f->seen = calloc((size_t)f->policy.width, sizeof *f->seen);
    if (!f->there || !f->lacks || !f->done || !f->left || !f->seen)
        return sct_fail(SCT_NO_MEMORY, "no memory to order %lld steps", (long long)graph->steps);
    sct_status status = sct_sparse_sums_create(graph->resources, &f->moving);
    if (!status)
        status = sct_priority_queue_grow(&f->ready, (int64_t)steps);
    if (status)
        return status;
    for (int64_t d = 0; d < graph->slices; d++) {
        f->there[d] = graph->slice[d].in_place;
        f->left[d] = graph->slice[d].users;
    }
    for (int64_t s = 0; s < graph->steps; s++) {
        for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
            f->lacks[s] += !f->there[graph->node[s].slice[matrix]];
        if (f->lacks[s] == 0)
            add_ready(f, s);
    }
    return SCT_OK;
}

static void clear(filler *f) {
    free(f->there);
    free(f->lacks);
    free(f->done);
    free(f->left);
    free(f->seen);
    sct_priority_queue_clear(&f->ready);
    sct_sparse_sums_clear(&f->moving);
}

sct_status sct_step_order_fill(const sct_graph *graph, sct_limits limits, sct_fill_policy policy,
                               sct_step_order *order) {
    filler f = {.graph = graph, .limits = limits, .policy = policy, .order = order, .run = -1};
    sct_status status = create(graph, &f);
    while (!status && order->steps < graph->steps)
        fill_group(&f);
    clear(&f);
    return status;
}
