/* fill.c - an order made group by group, each filled with the transfers and the products that can
 * be begun, up to its limits.
 *
 * Of those that can be begun as many are looked at as the manner's width says, in direct order:
 * transfers are chosen by how much computing their step adds for each second of them, products so
 * that they take as long as the transfers beside them. With a width of 1 the first is taken: the
 * greedy rule. */
#include "order/order.h"
#include "order/priority_queue.h"

#include "base/checked.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

typedef struct filler {
    const sct_graph *graph;
    sct_limits limits;
    sct_manner manner;
    sct_draft *draft;
    bool *there;        /* by datum: in place, or fetched, be it in this group */
    int *lacks;         /* by step: how many of its data have not arrived */
    bool *done;         /* by step */
    int64_t *left;      /* by datum: steps of the run to do */
    int64_t run;        /* begun, and not done; or -1 */
    int64_t next;       /* no step before it lacks what is not on its way */
    sct_heap ready;     /* steps that lack nothing, and some that are done */
    sct_ranked *seen;   /* room for those that are looked at */
    double multiplying; /* seconds of the group's products so far */
    sct_sums moving;    /* and of its transfers */
} filler;

/* The best so far; of equals the first. */
typedef struct choice {
    int64_t item; /* -1: none */
    double merit;
} choice;

static void consider(choice *best, int64_t item, double merit) {
    if (best->item < 0 || merit > best->merit)
        *best = (choice){item, merit};
}

/* How long the group takes at least if it moves this, too. */
static double until(const filler *f, int64_t index) {
    const sct_datum *datum = &f->graph->datum[index];
    double most = 0;
    for (int64_t i = datum->dues; i < datum->dues + datum->tolls; i++) {
        const sct_toll *toll = &f->graph->toll[i];
        double before = toll->channel == SCT_CHANNEL_RANK ? f->multiplying : 0;
        most = fmax(most, before + f->moving.sum[toll->channel] + toll->seconds);
    }
    return most;
}

/* The first of what a step lacks and nobody fetches yet, by how much the step computes for each
 * second until all of it is here. */
static void consider_data(const filler *f, int64_t step, choice *best) {
    const sct_node *node = &f->graph->node[step];
    int64_t first = -1;
    double seconds = 0;
    for (int matrix = SCT_MAT_B; matrix >= SCT_MAT_A; matrix--) {
        int64_t datum = node->datum[matrix];
        if (f->there[datum])
            continue;
        first = datum;
        seconds = fmax(seconds, until(f, datum));
    }
    if (first >= 0)
        consider(best, first, node->seconds / seconds);
}

static bool on_its_way(const filler *f, int64_t step) {
    const int64_t *datum = f->graph->node[step].datum;
    return f->there[datum[SCT_MAT_A]] && f->there[datum[SCT_MAT_B]];
}

/* The first step that is ready, if no run is begun; -1: none. */
static int64_t first_ready(filler *f) {
    while (f->ready.count > 0 && f->done[f->ready.at[0].item])
        sct_heap_pop(&f->ready);
    return f->ready.count > 0 ? f->ready.at[0].item : -1;
}

/* The run that is begun, or that the first step that is ready will begin; -1: none. */
static int64_t next_run(filler *f) {
    int64_t step = first_ready(f);
    return f->run >= 0 || step < 0 ? f->run : sct_graph_run(f->graph, step);
}

/* What is fetched next: for such a run, or else in direct order; -1: nothing is left. */
static int64_t choose_datum(filler *f) {
    const sct_graph *graph = f->graph;
    choice best = {.item = -1};
    int64_t begun = next_run(f);
    if (begun >= 0) {
        const sct_datum *run = &graph->datum[begun];
        for (int64_t i = 0; i < run->users && (best.item < 0 || f->manner.width > 1); i++)
            consider_data(f, graph->user[run->first + i], &best);
    }
    if (best.item >= 0)
        return best.item;
    while (f->next < graph->steps && on_its_way(f, f->next))
        f->next++;
    int64_t end = sct_min(f->next + f->manner.width, graph->steps);
    for (int64_t step = f->next; step < end; step++)
        consider_data(f, step, &best);
    return best.item;
}

/* How well a step's product fits beside the group's transfers, of which it gets its share. */
static double fit(const filler *f, int64_t step, int64_t more) {
    double wanted = (f->moving.most - f->multiplying) / (double)more;
    return f->moving.most > 0 ? -fabs(f->graph->node[step].seconds - wanted) : 0;
}

static int64_t choose_from_run(const filler *f, int64_t more) {
    const sct_datum *run = &f->graph->datum[f->run];
    choice best = {.item = -1};
    for (int64_t i = 0; i < run->users && (best.item < 0 || f->manner.width > 1); i++) {
        int64_t step = f->graph->user[run->first + i];
        if (!f->done[step] && f->lacks[step] == 0)
            consider(&best, step, fit(f, step, more));
    }
    return best.item;
}

/* The heap gives out each step that is ready once: those not chosen go back. */
static sct_status choose_from_ready(filler *f, int64_t more, int64_t *step) {
    choice best = {.item = -1};
    int looked = 0;
    while (f->ready.count > 0 && looked < f->manner.width) {
        sct_ranked first = sct_heap_pop(&f->ready);
        if (f->done[first.item])
            continue;
        f->seen[looked++] = first;
        consider(&best, first.item, fit(f, first.item, more));
    }
    sct_status status = SCT_OK;
    for (int i = 0; i < looked && !status; i++)
        if (f->seen[i].item != best.item)
            status = sct_heap_push(&f->ready, f->seen[i].key, f->seen[i].item);
    *step = best.item;
    return status;
}

static void multiply(filler *f, int64_t step) {
    int64_t run = sct_graph_run(f->graph, step);
    f->done[step] = true;
    f->multiplying += f->graph->node[step].seconds;
    sct_draft_add_step(f->draft, step);
    f->run = run >= 0 && --f->left[run] > 0 ? run : -1;
    if (run >= 0 && f->run < 0)
        sct_graph_move(f->graph, run, &f->moving);
}

/* What the group has fetched is there for those that follow. */
static sct_status arrive(filler *f, int64_t first) {
    const sct_graph *graph = f->graph;
    sct_status status = SCT_OK;
    for (int64_t i = first; i < f->draft->data; i++) {
        const sct_datum *datum = &graph->datum[f->draft->datum[i]];
        for (int64_t u = datum->first; u < datum->first + datum->users && !status; u++)
            if (--f->lacks[graph->user[u]] == 0)
                status = sct_heap_push(&f->ready, (double)graph->user[u], graph->user[u]);
    }
    return status;
}

static bool any_comes(const filler *f, const sct_datum *datum) {
    for (int64_t u = datum->first; u < datum->first + datum->users; u++)
        if (!f->done[f->graph->user[u]] && on_its_way(f, f->graph->user[u]))
            return true;
    return false;
}

/* Whether there will be something to multiply in the next group, data from `first` on arriving
 * with this one. */
static bool goes_on(filler *f, int64_t first) {
    const sct_datum *datum = f->graph->datum;
    if (f->run >= 0)
        return any_comes(f, &datum[f->run]);
    bool any = first_ready(f) >= 0;
    for (int64_t i = first; i < f->draft->data && !any; i++)
        any = any_comes(f, &datum[f->draft->datum[i]]);
    return any;
}

/* Frugally, nothing that the group would take longer for, but what the next group needs. */
static void fetch_data(filler *f) {
    int64_t first = f->draft->data;
    for (int i = 0; i < f->limits.transfers; i++) {
        int64_t datum = choose_datum(f);
        if (datum < 0)
            break;
        bool longer = until(f, datum) > sct_group_seconds(f->multiplying, &f->moving);
        if (f->manner.frugal && longer && goes_on(f, first))
            break;
        f->there[datum] = true;
        sct_graph_move(f->graph, datum, &f->moving);
        sct_draft_add_datum(f->draft, datum);
    }
}

static sct_status multiply_steps(filler *f) {
    sct_status status = SCT_OK;
    int64_t step = 0;
    for (int more = f->limits.products; more > 0 && step >= 0 && !status; more--) {
        if (f->run >= 0)
            step = choose_from_run(f, more);
        else
            status = choose_from_ready(f, more, &step);
        if (step >= 0)
            multiply(f, step);
    }
    return status;
}

static sct_status fill_group(filler *f) {
    int64_t first = f->draft->data;
    sct_sums_reset(&f->moving);
    f->multiplying = 0;
    if (!f->manner.frugal)
        fetch_data(f);
    sct_status status = multiply_steps(f);
    if (f->manner.frugal)
        fetch_data(f);
    sct_draft_end_group(f->draft);
    return status ? status : arrive(f, first);
}

static sct_status create(const sct_graph *graph, filler *f) {
    size_t steps = (size_t)graph->steps + 1, data = (size_t)graph->data + 1;
    f->there = calloc(data, sizeof *f->there);
    f->lacks = calloc(steps, sizeof *f->lacks);
    f->done = calloc(steps, sizeof *f->done);
    f->left = calloc(data, sizeof *f->left);
    f->seen = calloc((size_t)f->manner.width, sizeof *f->seen);
    if (!f->there || !f->lacks || !f->done || !f->left || !f->seen)
        return sct_fail(SCT_NO_MEMORY, "no memory to order %lld steps", (long long)graph->steps);
    sct_status status = sct_sums_create(graph->channels, &f->moving);
    if (status)
        return status;
    for (int64_t d = 0; d < graph->data; d++) {
        f->there[d] = graph->datum[d].in_place;
        f->left[d] = graph->datum[d].users;
    }
    for (int64_t s = 0; s < graph->steps && !status; s++) {
        for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
            f->lacks[s] += !f->there[graph->node[s].datum[matrix]];
        if (f->lacks[s] == 0)
            status = sct_heap_push(&f->ready, (double)s, s);
    }
    return status;
}

static void clear(filler *f) {
    free(f->there);
    free(f->lacks);
    free(f->done);
    free(f->left);
    free(f->seen);
    sct_heap_clear(&f->ready);
    sct_sums_clear(&f->moving);
}

sct_status sct_draft_fill(const sct_graph *graph, sct_limits limits, sct_manner manner,
                          sct_draft *draft) {
    filler f = {.graph = graph, .limits = limits, .manner = manner, .draft = draft, .run = -1};
    sct_status status = create(graph, &f);
    while (!status && draft->steps < graph->steps)
        status = fill_group(&f);
    clear(&f);
    return status;
}
