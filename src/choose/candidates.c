/* candidates.c - all grids; and the layouts that lie along another one. */
#include "choose/candidates.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>

static sct_status no_memory(void) {
    return sct_fail(SCT_NO_MEMORY, "no memory for candidates");
}

sct_status sct_candidates_add(sct_candidates *candidates, const sct_layout *layout) {
    for (int i = 0; i < candidates->count; i++)
        if (sct_layout_equal(candidates->layout[i], layout))
            return SCT_OK;
    const sct_layout **list =
        sct_memory_grow(candidates->layout, candidates->count, &candidates->room, sizeof *list);
    if (!list)
        return no_memory();
    candidates->layout = list;
    list[candidates->count++] = sct_layout_hold(layout);
    return SCT_OK;
}

void sct_candidates_clear(sct_candidates *candidates) {
    for (int i = 0; i < candidates->count; i++)
        sct_layout_destroy((sct_layout *)candidates->layout[i]);
    free(candidates->layout);
    *candidates = (sct_candidates){.count = 0};
}

/* Adds a layout and lets go of it. */
static sct_status give(sct_candidates *candidates, sct_layout *layout) {
    sct_status status = sct_candidates_add(candidates, layout);
    sct_layout_destroy(layout);
    return status;
}

/* One block for each rank of a grid. By its text, so that it is printed as people write it. */
static sct_status create_grid(int64_t rows, int64_t cols, int grid_rows, int grid_cols, int copies,
                              int ranks, sct_layout **layout) {
    char text[64];
    int count = grid_rows * grid_cols;
    const char *line = grid_cols == 1 ? "row" : "col";
    if (grid_cols > 1 && grid_rows > 1)
        snprintf(text, sizeof text, "2d:%dx%d*%d", grid_rows, grid_cols, copies);
    else if (count * copies < ranks)
        snprintf(text, sizeof text, "%s@%d*%d", line, count, copies);
    else
        snprintf(text, sizeof text, "%s*%d", line, copies);
    return sct_layout_parse(text, rows, cols, ranks, layout);
}

/* Adds a layout with the replicas of each block on ranks that follow each other. */
static sct_status add_side_by_side(const sct_layout *layout, sct_candidates *candidates) {
    int replicas = layout->replicas, cells = layout->rows.coords * layout->cols.coords;
    int *ranks = malloc((size_t)replicas * (size_t)cells * sizeof *ranks);
    if (!ranks)
        return no_memory();
    for (int replica = 0; replica < replicas; replica++)
        for (int cell = 0; cell < cells; cell++)
            ranks[replica * cells + cell] = cell * replicas + replica;
    sct_layout *mapped = NULL;
    sct_status status = sct_layout_map_ranks(layout, ranks, &mapped);
    free(ranks);
    return status ? status : give(candidates, mapped);
}

sct_status sct_candidates_grids(int64_t rows, int64_t cols, int used, int ranks, sct_copies allowed,
                                sct_candidates *candidates) {
    sct_status status = SCT_OK;
    for (int copies = 1; copies <= (allowed ? used : 1) && !status; copies++)
        for (int r = 1; r <= used / copies && !status; r++) {
            sct_layout *layout;
            if (used % copies > 0 || used / copies % r > 0)
                continue;
            status = create_grid(rows, cols, r, used / copies / r, copies, ranks, &layout);
            if (!status && allowed == SCT_COPIES_NEAR && copies > 1 && copies < used)
                status = add_side_by_side(layout, candidates);
            if (!status)
                status = give(candidates, layout);
        }
    return status;
}

/* How one dimension of the moving matrix is cut: what each of `units` owners uses, in `each` parts.
 */
typedef struct sct_cutter {
    int units, each;
    const sct_axis *axis; /* whose classes are the units; NULL: they are equal shares */
    int64_t extent;
} sct_cutter;

/* How a moving matrix lies along the stationary one: a block of it is shared out to the ranks that
 * use it, which differ in the dimension that it lacks. */
typedef struct sct_trail {
    const sct_layout *stay;
    bool shared_is_rows; /* of the stationary matrix */
    int ranks;           /* that there are; the stationary matrix may lie on fewer */
    int copies;
    bool cut_shared;
    sct_cutter shared, free;
} sct_trail;

/* Whether the classes follow each other, one block each. */
static bool plain(const sct_axis *axis) {
    for (int64_t block = 0; block < axis->blocks; block++)
        if (sct_axis_owner(axis, block) != block)
            return false;
    return true;
}

static sct_range unit(const sct_cutter *cutter, int index) {
    if (!cutter->axis)
        return (sct_range){sct_share(cutter->extent, cutter->units, index),
                           sct_share(cutter->extent, cutter->units, index + 1)};
    if (index >= cutter->axis->blocks)
        return (sct_range){cutter->extent, cutter->extent};
    return sct_axis_bounds(cutter->axis, index);
}

/* Where each part begins, but for the first, and who owns it: parts in their order. Says whether
 * the parts are as those of equal blocks. */
static bool cut(const sct_cutter *cutter, int64_t *cuts, int *owners) {
    int count = cutter->units * cutter->each;
    int64_t block = cutter->extent > 0 ? (cutter->extent - 1) / count + 1 : 1;
    bool equal = true;
    for (int i = 0; i < count; i++) {
        sct_range range = unit(cutter, i / cutter->each);
        int64_t at = range.lo + sct_share(range.hi - range.lo, cutter->each, i % cutter->each);
        owners[i] = i;
        equal &= at == sct_min(i * block, cutter->extent);
        if (i > 0)
            cuts[i - 1] = at;
    }
    return equal;
}

static sct_status create_cut(const sct_cutter *rows, const sct_cutter *cols, int copies, int ranks,
                             sct_layout **layout) {
    int counts[2] = {rows->units * rows->each, cols->units * cols->each};
    size_t both = (size_t)counts[0] + (size_t)counts[1];
    int64_t *cuts = calloc(both, sizeof *cuts);
    int *owners = calloc(both, sizeof *owners);
    sct_cuts by[2] = {{counts[0], cuts, owners}, {counts[1], cuts + counts[0], owners + counts[0]}};
    sct_status status = cuts && owners ? SCT_OK : no_memory();
    bool equal = !status && cut(rows, cuts, owners);
    equal = !status && cut(cols, cuts + counts[0], owners + counts[0]) && equal;
    sct_layout *made;
    if (!status && equal)
        status =
            create_grid(rows->extent, cols->extent, counts[0], counts[1], copies, ranks, layout);
    else if (!status)
        status = sct_layout_create_cuts(rows->extent, cols->extent, counts[0], counts[1], &by[0],
                                        &by[1], &made);
    if (!status && !equal) {
        status = sct_layout_replicate(made, copies, layout);
        sct_layout_destroy(made);
    }
    free(cuts);
    free(owners);
    return status;
}

/* The rank at a position of the moving matrix: one of those that use its block. */
static int rank_at(const sct_trail *trail, int copy, int shared, int free) {
    int parts = trail->cut_shared ? trail->shared.each : trail->free.each;
    int across =
        copy * parts + (trail->cut_shared ? shared % trail->shared.each : free % trail->free.each);
    int along = shared / trail->shared.each;
    sct_cell cell = {trail->shared_is_rows ? along : across,
                     trail->shared_is_rows ? across : along};
    return sct_layout_place(trail->stay, free / trail->free.each, cell).rank;
}

/* Puts the blocks of a layout on the ranks that use them. */
static sct_status map(const sct_trail *trail, bool shared_first, const sct_layout *layout,
                      sct_layout **mapped) {
    int rows = layout->rows.coords, cols = layout->cols.coords;
    int count = rows * cols * trail->copies;
    int *ranks = malloc((size_t)count * sizeof *ranks);
    if (!ranks)
        return no_memory();
    bool same = true;
    for (int i = 0; i < count; i++) {
        int row = i / cols % rows, col = i % cols;
        ranks[i] =
            rank_at(trail, i / cols / rows, shared_first ? row : col, shared_first ? col : row);
        same &= ranks[i] == i;
    }
    sct_status status = SCT_OK;
    if (same)
        *mapped = (sct_layout *)sct_layout_hold(layout);
    else
        status = sct_layout_map_ranks(layout, ranks, mapped);
    free(ranks);
    return status;
}

static sct_status add_along(const sct_trail *trail, bool shared_first, sct_candidates *candidates) {
    sct_layout *layout = NULL, *mapped;
    sct_status status = create_cut(shared_first ? &trail->shared : &trail->free,
                                   shared_first ? &trail->free : &trail->shared, trail->copies,
                                   trail->ranks, &layout);
    if (!status)
        status = map(trail, shared_first, layout, &mapped);
    sct_layout_destroy(layout);
    return status ? status : give(candidates, mapped);
}

sct_status sct_candidates_along(const sct_product *product, int stay, int matrix, bool replicas,
                                sct_candidates *candidates) {
    const sct_layout *layout = product->layout[stay];
    int free_dim = sct_free_dim(stay);
    bool shared_first = sct_matrix_dim(matrix, 1) == free_dim;
    int shared_dim = sct_matrix_dim(matrix, !shared_first);
    bool rows = sct_matrix_dim(stay, 0) == shared_dim;
    const sct_axis *along = rows ? &layout->rows : &layout->cols;
    int users = rows ? layout->cols.coords : layout->rows.coords;
    if (layout->owner_of || !plain(along))
        return SCT_OK;
    sct_status status = SCT_OK;
    /* If it has k, that is cut first: it costs the BLAS the least. */
    for (int copies = 1; copies <= (replicas ? users : 1) && !status; copies++)
        for (int way = 0; way < 2 && users % copies == 0 && !status; way++) {
            int parts = users / copies;
            bool cut_shared = (way == 0) == (shared_dim == SCT_DIM_K);
            sct_trail trail = {
                .stay = layout,
                .shared_is_rows = rows,
                .ranks = product->ranks,
                .copies = copies,
                .cut_shared = cut_shared,
                .shared = {along->coords, cut_shared ? parts : 1, along, product->size[shared_dim]},
                .free = {layout->replicas, cut_shared ? 1 : parts, NULL, product->size[free_dim]}};
            status = add_along(&trail, shared_first, candidates);
            if (parts == 1)
                break;
        }
    return status;
}
