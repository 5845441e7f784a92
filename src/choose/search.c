/* search.c - checks what is asked and lists what may be chosen. */
#include "choose/search.h"
#include "planner/planner.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* More would take minutes. */
enum { MOST_RANKS = 16384 };

static const char names[] = "abc";

bool sct_layout_is_long(const sct_layout *layout) {
    return layout->rank_of || layout->form == SCT_FORM_CUTS;
}

void sct_three_drop(sct_three *three) {
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        sct_layout_destroy((sct_layout *)three->layout[matrix]);
}

static sct_status check_fixed(const sct_search *search, int matrix, const sct_layout *layout) {
    const int64_t rows[] = {search->m, search->k, search->m};
    const int64_t cols[] = {search->k, search->n, search->n};
    if (!layout)
        return SCT_OK;
    if (sct_layout_rows(layout) != rows[matrix] || sct_layout_cols(layout) != cols[matrix])
        return sct_fail(SCT_BAD_ARGUMENT, "%c: the layout is for %lldx%lld, not %lldx%lld",
                        names[matrix], (long long)sct_layout_rows(layout),
                        (long long)sct_layout_cols(layout), (long long)rows[matrix],
                        (long long)cols[matrix]);
    if (sct_layout_ranks(layout) > search->ranks)
        return sct_fail(SCT_BAD_ARGUMENT, "%c: the layout uses %d ranks of %d", names[matrix],
                        sct_layout_ranks(layout), search->ranks);
    return SCT_OK;
}

static sct_status check_machine(const sct_search *search) {
    const sct_machine *machine = search->machine;
    if (!machine)
        return SCT_OK;
    if (machine->ranks > 0 && search->ranks > machine->ranks)
        return sct_fail(SCT_BAD_ARGUMENT, "%d ranks are more than the %lld of %s", search->ranks,
                        (long long)machine->ranks, machine->name);
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
                        "shape %lldx%lldx%lld: all must be at least 1: where one is 0 nothing "
                        "is moved, whatever is chosen",
                        (long long)search->m, (long long)search->n, (long long)search->k);
    if (search->ranks < 1 || search->ranks > MOST_RANKS)
        return sct_fail(SCT_BAD_ARGUMENT, "%d ranks are not between 1 and %d", search->ranks,
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

static void fill_in(sct_seeker *seeker) {
    sct_search *search = &seeker->search;
    search->uses = search->uses ? search->uses : 1;
    if (search->ranks_per_node == 0 && search->machine)
        search->ranks_per_node = sct_machine_ranks_per_node(search->machine);
    if (search->ranks_per_node == 0 || search->ranks_per_node > search->ranks)
        search->ranks_per_node = search->ranks;
    seeker->supposed = sct_machine_plain(search->ranks_per_node);
    seeker->machine = search->machine ? search->machine : &seeker->supposed;
    sct_type sum = sct_type_sum(search->type);
    seeker->product = (sct_product){
        .type = {search->type, search->type, sum},
        .type_c = search->type,
        .size = {[SCT_DIM_M] = search->m, [SCT_DIM_K] = search->k, [SCT_DIM_N] = search->n},
        .ranks = search->ranks};
    const int64_t *size = seeker->product.size;
    for (int i = 0; i < SCT_MATS; i++) {
        seeker->product.ranks_per_node[i] = search->ranks_per_node;
        seeker->product.view[i] =
            (sct_slice){{0, size[sct_matrix_dim(i, 0)]}, {0, size[sct_matrix_dim(i, 1)]}};
    }
}

/* Whether some ranks, but not all, are nearer to each other than to the rest. */
static bool has_neighbours(const sct_seeker *seeker) {
    const sct_machine *machine = seeker->machine;
    for (int level = 0; level < machine->levels; level++) {
        int64_t group = sct_level_group(machine, level, seeker->search.ranks);
        if (group > 1 && group < seeker->search.ranks)
            return true;
    }
    return false;
}

/* All grids of the first so many ranks. */
static sct_status list_grids(sct_hunt *hunt, int matrix, int used) {
    const sct_seeker *seeker = &hunt->seeker;
    int64_t rows = seeker->product.size[sct_matrix_dim(matrix, 0)];
    int64_t cols = seeker->product.size[sct_matrix_dim(matrix, 1)];
    int ranks = seeker->search.ranks;
    sct_copies copies = has_neighbours(seeker) ? SCT_COPIES_NEAR : SCT_COPIES_MANY;
    sct_status status =
        sct_candidates_grids(rows, cols, used, ranks, copies, &hunt->staying[matrix]);
    return status ? status
                  : sct_candidates_grids(rows, cols, used, ranks, SCT_COPIES_ONE,
                                         &hunt->moving[matrix]);
}

/* On all ranks, or on those that have another matrix: what is little work may be done there. */
static sct_status list_candidates(sct_hunt *hunt, int matrix) {
    const sct_seeker *seeker = &hunt->seeker;
    const sct_layout *fixed = seeker->fixed[matrix];
    sct_status status = SCT_OK;
    if (fixed)
        status = sct_candidates_add(&hunt->staying[matrix], fixed);
    if (!status && fixed)
        status = sct_candidates_add(&hunt->moving[matrix], fixed);
    if (status || (fixed && !seeker->search.redistribute))
        return status;
    status = list_grids(hunt, matrix, seeker->search.ranks);
    for (int i = 0; i < SCT_MATS && !status; i++)
        if (seeker->fixed[i] && sct_layout_ranks(seeker->fixed[i]) < seeker->search.ranks)
            status = list_grids(hunt, matrix, sct_layout_ranks(seeker->fixed[i]));
    return status;
}

void sct_hunt_end(sct_hunt *hunt) {
    for (int i = 0; i < hunt->count; i++)
        sct_three_drop(&hunt->best[i]);
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        sct_candidates_clear(&hunt->staying[matrix]);
        sct_candidates_clear(&hunt->moving[matrix]);
    }
    free(hunt);
}

sct_status sct_hunt_begin(const sct_search *search, int wanted, sct_hunt **hunt) {
    sct_status status = sct_check_given("search", search);
    if (!status)
        status = sct_check_size("search", search->size, sizeof *search, sizeof *search);
    if (!status)
        status = check(search);
    if (status)
        return status;
    sct_hunt *made = calloc(1, sizeof *made);
    if (!made)
        return sct_fail(SCT_NO_MEMORY, "no memory for a search");
    made->wanted = wanted;
    sct_seeker *seeker = &made->seeker;
    const sct_layout *fixed[] = {search->a, search->b, search->c};
    seeker->search = *search;
    memcpy(seeker->fixed, fixed, sizeof fixed);
    fill_in(seeker);
    status = sct_options_resolve(search->options, &seeker->options);
    if (!seeker->options.machine)
        seeker->options.machine = search->machine;
    for (int matrix = 0; matrix < SCT_MATS && !status; matrix++) {
        status = check_fixed(search, matrix, fixed[matrix]);
        if (!status)
            status = list_candidates(made, matrix);
    }
    if (status)
        sct_hunt_end(made);
    else
        *hunt = made;
    return status;
}
