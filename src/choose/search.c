/* search.c - searches for layouts of the work and of the three matrices by estimates.
 *
 * Beside a work layout, the matrices are independent of each other. So the best few layouts of
 * each are found separately, and then combined; that of a stationary matrix is the work layout
 * itself. choose.c plans the best triples. */
#include "choose/search.h"

#include "base/checked.h"
#include "base/status.h"
#include "choose/candidates.h"
#include "planner/planner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Up to so many, searches have been timed. */
enum { MOST_RANKS = 1048576 };

/* Up to so many ranks may be left out for better grids, if they are not more than one in so many.
 */
enum { MOST_SPARED = 64 };

/* The work layouts beside which layouts along them are looked at: those whose grids move least. */
enum { MOST_WORK = 1024 };

static const char *const names[] = {"a", "b", "c"};

static void layout_triple_clear(sct_layout_triple *triple) {
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        sct_layout_destroy((sct_layout *)triple->layout[matrix]);
    sct_layout_destroy((sct_layout *)triple->work);
}

/* A layout that is given must be of the shape of a matrix, and on ranks that there are. */
static sct_status check_given(const sct_search *search, const char *name, int matrix,
                              const sct_layout *layout) {
    const int64_t rows[] = {search->m, search->k, search->m};
    const int64_t cols[] = {search->k, search->n, search->n};
    if (!layout)
        return SCT_OK;
    if (sct_layout_rows(layout) != rows[matrix] || sct_layout_cols(layout) != cols[matrix])
        return sct_fail(SCT_BAD_ARGUMENT, "%s: the layout is for %lldx%lld, not %lldx%lld", name,
                        (long long)sct_layout_rows(layout), (long long)sct_layout_cols(layout),
                        (long long)rows[matrix], (long long)cols[matrix]);
    if (sct_layout_ranks(layout) > search->ranks)
        return sct_fail(SCT_BAD_ARGUMENT, "%s: the layout uses %d ranks, but there are %d", name,
                        sct_layout_ranks(layout), search->ranks);
    return SCT_OK;
}

static sct_status check_machine(const sct_search *search) {
    const sct_machine *machine = search->machine;
    if (!machine)
        return SCT_OK;
    if (machine->ranks > 0 && search->ranks > machine->ranks)
        return sct_fail(SCT_BAD_ARGUMENT, "ranks: %d is more than the %lld ranks of %s",
                        search->ranks, (long long)machine->ranks, machine->name);
    if (machine->peak[search->type] <= 0)
        return sct_fail(SCT_BAD_ARGUMENT, "%s: its peak for %s is not known", machine->name,
                        sct_type_name(search->type));
    return SCT_OK;
}

static sct_status check(const sct_search *search) {
    sct_status status = sct_check_type(search->type);
    if (status)
        return status;
    if (search->m < 1 || search->n < 1 || search->k < 1)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "shape %lldx%lldx%lld: m, n and k must be at least 1, as otherwise "
                        "nothing is moved",
                        (long long)search->m, (long long)search->n, (long long)search->k);
    if (search->ranks < 1 || search->ranks > MOST_RANKS)
        return sct_fail(SCT_BAD_ARGUMENT, "ranks: %d is not between 1 and %d", search->ranks,
                        MOST_RANKS);
    if (search->uses < 0 || search->ranks_per_node < 0)
        return sct_fail(SCT_BAD_ARGUMENT, "%s: %d is negative",
                        search->uses < 0 ? "uses" : "ranks per node",
                        search->uses < 0 ? search->uses : search->ranks_per_node);
    if ((unsigned)search->aim > SCT_AIM_BYTES)
        return sct_fail(SCT_BAD_ARGUMENT, "aim: %d is not one of both, time, bytes",
                        (int)search->aim);
    return check_machine(search);
}

/* The block size, rounded up. */
static double block(int64_t size, int parts) {
    return (double)((size - 1) / parts + 1);
}

/* The bytes that a rank moves on an m x n x k grid. It needs one block of each matrix. Ranks that
 * need the same block store an equal share of it each, and move the rest. */
static double grid_bytes(const sct_search *search, int pm, int pn, int pk) {
    double in = (double)sct_type_bytes(search->type);
    double sum = (double)sct_type_bytes(sct_type_sum(search->type));
    double bm = block(search->m, pm), bn = block(search->n, pn), bk = block(search->k, pk);
    return in * bm * bk * (1 - 1.0 / pn) + in * bk * bn * (1 - 1.0 / pm) +
           sum * bm * bn * (1 - 1.0 / pk);
}

/* The fewest that it moves on any grid of so many ranks. */
static double best_grid(const sct_search *search, int ranks) {
    double least = INFINITY;
    for (int pm = 1; pm <= ranks; pm++)
        for (int pn = 1; ranks % pm == 0 && pn <= ranks / pm; pn++)
            if (ranks / pm % pn == 0)
                least = fmin(least, grid_bytes(search, pm, pn, ranks / pm / pn));
    return least;
}

/* Somewhat fewer ranks on whose grids a rank moves less than half: those whose number has better
 * factors. 0: there are none, or who does the work is given. */
static int fewer_ranks(const sct_search *search) {
    double least = best_grid(search, search->ranks) / 2;
    int fewer = 0, tried = (int)sct_min(MOST_SPARED, search->ranks / MOST_SPARED);
    for (int ranks = search->ranks - 1; ranks >= search->ranks - tried; ranks--) {
        double bytes = best_grid(search, ranks);
        if (bytes < least) {
            least = sct_choice_margin * bytes; /* each rank more counts a little */
            fewer = ranks;
        }
    }
    return fewer;
}

static void fill_in(sct_search_context *context) {
    sct_search *search = &context->search;
    search->uses = search->uses ? search->uses : 1;
    if (search->ranks_per_node == 0 && search->machine)
        search->ranks_per_node = sct_machine_ranks_per_node(search->machine);
    if (search->ranks_per_node == 0 || search->ranks_per_node > search->ranks)
        search->ranks_per_node = search->ranks;
    context->assumed = sct_machine_default(search->ranks_per_node, false);
    context->machine = search->machine ? search->machine : &context->assumed;
    sct_type sum = sct_type_sum(search->type);
    /* Where matrices lie already, no grid says how little is moved. */
    bool fixed = search->a || search->b || search->c;
    context->best_grid = fixed ? INFINITY : best_grid(search, search->ranks);
    context->fewer = fewer_ranks(search);
    context->product = (sct_product){
        .type = {search->type, search->type, sum},
        .type_c = search->type,
        .size = {[SCT_DIM_M] = search->m, [SCT_DIM_K] = search->k, [SCT_DIM_N] = search->n},
        .ranks = search->ranks,
        .node = search->ranks_per_node};
    const int64_t *size = context->product.size;
    for (int i = 0; i < SCT_MATS; i++) {
        context->product.ranks_per_node[i] = search->ranks_per_node;
        context->product.view[i] =
            (sct_slice){{0, size[sct_matrix_dim(i, 0)]}, {0, size[sct_matrix_dim(i, 1)]}};
    }
}

/* True if the machine has groups of several ranks that are not all ranks, such as nodes. */
static bool has_neighbours(const sct_search_context *context) {
    const sct_machine *machine = context->machine;
    for (int level = 0; level < machine->levels; level++) {
        int64_t group = sct_level_group(machine, level, context->search.ranks);
        if (group > 1 && group < context->search.ranks)
            return true;
    }
    return false;
}

/* True if the matrix may be stationary in a layout that the search finds. */
static bool may_stay(const sct_options *options, int matrix) {
    return !options->work &&
           (options->stay == SCT_STAY_AUTO || (int)options->stay - SCT_STAY_A == matrix);
}

/* Lists all grids of the first `used` ranks. */
static sct_status list_grids(sct_layout_search *search, int matrix, int used) {
    const sct_search_context *context = &search->context;
    int64_t rows = context->product.size[sct_matrix_dim(matrix, 0)];
    int64_t cols = context->product.size[sct_matrix_dim(matrix, 1)];
    int ranks = context->search.ranks;
    sct_copies copies = has_neighbours(context) ? SCT_COPIES_NEAR : SCT_COPIES_MANY;
    sct_status status = SCT_OK;
    if (may_stay(&context->options, matrix))
        status = sct_candidates_grids(rows, cols, used, ranks, copies, &search->staying[matrix]);
    return status ? status
                  : sct_candidates_grids(rows, cols, used, ranks, SCT_COPIES_ONE,
                                         &search->moving[matrix]);
}

/* Lists grids of all ranks, of fewer if that is better, and of as many as a fixed matrix uses. */
static sct_status list_candidates(sct_layout_search *search, int matrix) {
    const sct_search_context *context = &search->context;
    const sct_layout *fixed = context->fixed[matrix];
    sct_status status = SCT_OK;
    if (fixed && may_stay(&context->options, matrix))
        status = sct_candidates_add(&search->staying[matrix], fixed);
    if (!status && fixed)
        status = sct_candidates_add(&search->moving[matrix], fixed);
    if (status || (fixed && !context->search.redistribute))
        return status;
    status = list_grids(search, matrix, context->search.ranks);
    if (!status && context->fewer)
        status = list_grids(search, matrix, context->fewer);
    for (int i = 0; i < SCT_MATS && !status; i++)
        if (context->fixed[i] && sct_layout_ranks(context->fixed[i]) < context->search.ranks)
            status = list_grids(search, matrix, sct_layout_ranks(context->fixed[i]));
    return status;
}

/* Lists the work layouts to try: grids of m and n, whose replicas share k. A work layout that the
 * caller gives is the only one. It is listed twice if a matrix may have the same layout: by itself,
 * and as that of the stationary matrix. */
static sct_status list_work(sct_layout_search *search) {
    const sct_search_context *context = &search->context;
    const sct_layout *given = context->options.work, *fixed = context->fixed[search->shape];
    const int64_t *size = context->product.size;
    int ranks = context->search.ranks;
    sct_copies numbered = has_neighbours(context) ? SCT_COPIES_ANY_NEAR : SCT_COPIES_MANY;
    if (!given && context->options.stay != SCT_STAY_AUTO)
        return SCT_OK;
    sct_status status = SCT_OK;
    const int used[] = {ranks, context->fewer};
    for (int i = 0; i < 2 && !given && used[i] && !status; i++)
        status = sct_candidates_grids(size[SCT_DIM_M], size[SCT_DIM_N], used[i], ranks, numbered,
                                      &search->work);
    if (status || !given)
        return status;
    status = sct_candidates_add(&search->work, given);
    bool may = !fixed || context->search.redistribute || sct_layout_equal(fixed, given);
    return status || !may ? status : sct_candidates_add(&search->staying[search->shape], given);
}

void sct_layout_search_destroy(sct_layout_search *search) {
    for (int i = 0; i < search->count; i++)
        layout_triple_clear(&search->best[i]);
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        sct_candidates_clear(&search->staying[matrix]);
        sct_candidates_clear(&search->moving[matrix]);
    }
    sct_candidates_clear(&search->work);
    free(search);
}

sct_status sct_layout_search_create(const sct_search *search, sct_layout_search **layouts) {
    sct_status status = sct_check_given("search", search);
    if (!status)
        status = sct_check_size("search", search->size, sizeof *search, sizeof *search);
    if (!status)
        status = check(search);
    if (status)
        return status;
    sct_layout_search *made = calloc(1, sizeof *made);
    if (!made)
        return sct_no_memory("a search");
    made->shape = SCT_MAT_C;
    sct_search_context *context = &made->context;
    const sct_layout *fixed[] = {search->a, search->b, search->c};
    context->search = *search;
    memcpy(context->fixed, fixed, sizeof fixed);
    fill_in(context);
    status = sct_options_resolve(search->options, &context->options);
    if (!context->options.machine)
        context->options.machine = search->machine;
    if (context->options.stay != SCT_STAY_AUTO)
        made->shape = (int)context->options.stay - SCT_STAY_A;
    for (int matrix = 0; matrix < SCT_MATS && !status; matrix++) {
        status = check_given(search, names[matrix], matrix, fixed[matrix]);
        if (!status)
            status = list_candidates(made, matrix);
    }
    if (!status)
        status = check_given(search, "work", made->shape, context->options.work);
    if (!status)
        status = list_work(made);
    if (status)
        sct_layout_search_destroy(made);
    else
        *layouts = made;
    return status;
}

/* ---- The search ---- */

static bool fits(const sct_layout_search *search) {
    uint64_t memory = search->context.search.memory;
    return search->smallest || !memory || sct_score_stored_bytes(&search->context, 0) <= memory;
}

/* The score, lower is better, of everything (-1) or of one matrix. Need not be exact beyond `most`.
 */
static double score(const sct_layout_search *search, int matrix, double most) {
    const sct_search_context *context = &search->context;
    if (search->smallest)
        return (double)sct_score_stored_bytes(context, 0);
    return sct_score_layouts(context, matrix, most);
}

void sct_layout_triple_insert(sct_layout_triple *list, int *count, int most,
                              const sct_layout_triple *item) {
    int at = *count;
    for (; at > 0 && list[at - 1].score > item->score; at--)
        list[at] = list[at - 1];
    list[at] = *item;
    if (++*count > most)
        layout_triple_clear(&list[--*count]);
}

/* ---- Layouts beside one work layout ---- */

/* A work layout, which may keep the matrix of its shape stationary. */
typedef struct sct_dealt {
    int shape;
    const sct_layout *layout;
    bool stationary;
    double score;
    int place; /* in the list of all */
} sct_dealt;

/* For one work layout: the candidate layouts of each matrix, and the best of them. Each of these
 * triples has the layout of one matrix only. */
typedef struct sct_beside {
    sct_dealt *dealt;
    sct_candidates list[SCT_MATS];
    int count[SCT_MATS];
    sct_layout_triple kept[SCT_MATS][SCT_KEPT + 1];
} sct_beside;

/* Takes layouts beside the work layout into consideration. False if they do not fit into memory, or
 * keep a matrix in place that is not to be stationary: that is another case. */
static bool consider(sct_layout_search *search, const sct_dealt *dealt,
                     const sct_layout *const *layout) {
    sct_score_consider(&search->context, layout, dealt->shape, dealt->layout);
    return fits(search) && search->context.work.stationary == dealt->stationary;
}

/* Estimates the time of a product with these layouts of A, B and C, and keeps them if they are
 * among the best so far. */
static void compare(sct_layout_search *search, sct_dealt *dealt, const sct_layout *const *layout) {
    sct_layout_triple triple = {.shape = dealt->shape};
    if (!consider(search, dealt, layout))
        return;
    bool full = search->count == SCT_FINALISTS;
    triple.score = score(search, -1, full ? search->best[search->count - 1].score : INFINITY);
    dealt->score = fmin(dealt->score, triple.score);
    for (int i = 0; i < SCT_MATS; i++)
        triple.layout[i] = sct_layout_hold(layout[i]);
    if (!dealt->stationary)
        triple.work = sct_layout_hold(dealt->layout);
    sct_layout_triple_insert(search->best, &search->count, SCT_FINALISTS, &triple);
}

static sct_status list_along(const sct_layout_search *search, const sct_dealt *dealt, int matrix,
                             sct_candidates *list) {
    const sct_search_context *context = &search->context;
    bool replicas = matrix != SCT_MAT_C && context->search.uses > 1;
    const sct_work_layout work = sct_work_by_layout(&context->product, dealt->shape, dealt->layout);
    return context->fixed[matrix] && !context->search.redistribute
               ? SCT_OK
               : sct_candidates_along(&context->product, &work, matrix, replicas, list);
}

/* Lists the layouts of a matrix: the general ones, and those that lie along the work; or, with
 * `along`, only the latter, if there are any. */
static sct_status list_one(const sct_layout_search *search, const sct_dealt *dealt, int matrix,
                           bool along, sct_candidates *list) {
    sct_status status = SCT_OK;
    if (dealt->stationary && matrix == dealt->shape)
        return sct_candidates_add(list, dealt->layout);
    if (along)
        status = list_along(search, dealt, matrix, list);
    bool all = list->count == 0;
    for (int i = 0; all && i < search->moving[matrix].count && !status; i++)
        status = sct_candidates_add(list, search->moving[matrix].layout[i]);
    return status || along ? status : list_along(search, dealt, matrix, list);
}

static sct_status list_all(const sct_layout_search *search, bool along, sct_beside *beside) {
    sct_status status = SCT_OK;
    for (int i = 0; i < SCT_MATS && !status; i++)
        status = list_one(search, beside->dealt, i, along, &beside->list[i]);
    return status;
}

static void clear(sct_beside *beside) {
    for (int i = 0; i < SCT_MATS; i++) {
        while (beside->count[i] > 0)
            layout_triple_clear(&beside->kept[i][--beside->count[i]]);
        sct_candidates_clear(&beside->list[i]);
    }
}

/* Keeps the best layouts of a matrix, beside others that do not matter. */
static void keep_best(sct_layout_search *search, sct_beside *beside, int matrix, int most,
                      const sct_layout **layout) {
    const sct_candidates *list = &beside->list[matrix];
    sct_layout_triple *kept = beside->kept[matrix];
    int *count = &beside->count[matrix];
    const sct_layout *before = layout[matrix];
    for (int i = 0; i < list->count; i++) {
        sct_layout_triple triple = {.shape = beside->dealt->shape};
        layout[matrix] = list->layout[i];
        if (!consider(search, beside->dealt, layout))
            continue;
        triple.score = score(search, matrix, *count == most ? kept[most - 1].score : INFINITY);
        triple.layout[matrix] = sct_layout_hold(list->layout[i]);
        sct_layout_triple_insert(kept, count, most, &triple);
    }
    layout[matrix] = before;
}

/* Compares all combinations of the layouts kept. */
static void combine(sct_layout_search *search, const sct_beside *beside) {
    const int *count = beside->count;
    for (int i = 0; i < count[SCT_MAT_A] * count[SCT_MAT_B] * count[SCT_MAT_C]; i++) {
        const sct_layout *layout[SCT_MATS];
        for (int matrix = 0, at = i; matrix < SCT_MATS; at /= count[matrix++])
            layout[matrix] = beside->kept[matrix][at % count[matrix]].layout[matrix];
        compare(search, beside->dealt, layout);
    }
}

/* Tries layouts of the matrices together with one work layout: all of them, or, with `along`, only
 * the best of those that lie along it, if any do. The work layout gets the score of the best
 * triple. */
static sct_status look_beside(sct_layout_search *search, sct_dealt *dealt, bool along) {
    sct_beside beside = {.dealt = dealt};
    const sct_layout *layout[SCT_MATS];
    sct_status status = list_all(search, along, &beside);
    dealt->score = INFINITY;
    for (int i = 0; i < SCT_MATS && !status; i++)
        layout[i] = beside.list[i].layout[0];
    for (int i = 0; i < SCT_MATS && !status; i++) {
        keep_best(search, &beside, i, along ? 1 : SCT_KEPT, layout);
        if (along && beside.count[i] > 0)
            layout[i] = beside.kept[i]->layout[i];
    }
    if (!status)
        combine(search, &beside);
    clear(&beside);
    return status;
}

/* ---- Work layouts ---- */

static int compare_scores(const void *one, const void *other) {
    const sct_dealt *x = one, *y = other;
    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    return x->place - y->place;
}

/* Looks beside the most promising work layouts: of those whose grids move the fewest bytes, those
 * with the best triples along them. These triples do not count, nor do those of an earlier search.
 */
static sct_status look_beside_best(sct_layout_search *search, sct_dealt *list, int count) {
    sct_status status = SCT_OK;
    qsort(list, (size_t)count, sizeof *list, compare_scores);
    count = (int)sct_min(count, MOST_WORK);
    for (int i = 0; i < count && !status; i++)
        status = look_beside(search, &list[i], true);
    while (search->count > 0)
        layout_triple_clear(&search->best[--search->count]);
    if (!status)
        qsort(list, (size_t)count, sizeof *list, compare_scores);
    for (int i = 0; i < count && i < SCT_FINALISTS && !status; i++)
        status = look_beside(search, &list[i], false);
    return status;
}

/* Lists the candidates for the work layout of a shape, with the bytes of their grids. Layouts that
 * are given come before all others. */
static void add_dealt(const sct_layout_search *search, int shape, bool stationary, sct_dealt *list,
                      int *count) {
    const sct_search_context *context = &search->context;
    const sct_candidates *from = stationary ? &search->staying[shape] : &search->work;
    for (int i = 0; i < from->count; i++, ++*count) {
        const sct_layout *layout = from->layout[i];
        const sct_work_layout work = sct_work_by_layout(&context->product, shape, layout);
        bool given = layout == context->fixed[shape] || layout == context->options.work;
        double bytes =
            grid_bytes(&context->search, sct_work_parts(&work, SCT_DIM_M),
                       sct_work_parts(&work, SCT_DIM_N), sct_work_parts(&work, SCT_DIM_K));
        list[*count] = (sct_dealt){shape, layout, stationary, given ? 0 : bytes, *count};
    }
}

/* Lists the work layouts: all that keep a matrix, and those that keep none. */
static int list_dealt(const sct_layout_search *search, sct_dealt *list) {
    int count = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        add_dealt(search, matrix, true, list, &count);
    add_dealt(search, search->shape, false, list, &count);
    return count;
}

sct_status sct_layout_search_run(sct_layout_search *search) {
    size_t room = (size_t)search->work.count;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        room += (size_t)search->staying[matrix].count;
    sct_dealt *list = malloc(room * sizeof *list);
    if (!list)
        return sct_no_memory("work layouts");
    sct_status status = look_beside_best(search, list, list_dealt(search, list));
    free(list);
    return status;
}
