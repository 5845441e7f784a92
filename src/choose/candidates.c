/* candidates.c - candidate layouts: all grids, and layouts aligned with another one. */
#include "choose/candidates.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>

static sct_status no_memory(void) {
    return sct_no_memory("candidates");
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

/* Adds a layout and releases it. */
static sct_status add_and_release(sct_candidates *candidates, sct_layout *layout) {
    sct_status status = sct_candidates_add(candidates, layout);
    sct_layout_destroy(layout);
    return status;
}

/* A layout with one block per rank of a grid. Made from its text, so that it prints as people write
 * it. */
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

/* Adds a layout with the replicas of each block on consecutive ranks. */
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
    return status ? status : add_and_release(candidates, mapped);
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
                status = add_and_release(candidates, layout);
        }
    return status;
}

/* How one dimension of the moving matrix is cut: `units` blocks in `each` parts. */
typedef struct sct_cutter {
    int units, each;
    const sct_axis *axis; /* axis whose classes are the units; NULL: equal shares */
    int64_t extent;
} sct_cutter;

/* A moving matrix aligned with the stationary one: each block is shared out to the ranks that use
 * it, which differ in the dimension that it lacks. */
typedef struct sct_aligned_layout {
    const sct_layout *stay;
    bool shared_is_rows; /* in the stationary matrix */
    int ranks;           /* of the world; the stationary matrix may use fewer */
    int copies;
    bool cut_shared;
    sct_cutter shared, free;
} sct_aligned_layout;

/* True if the classes are one block each, in order. */
static bool has_plain_classes(const sct_axis *axis) {
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

/* Finds the start and the owner of each part. Returns whether the parts are equal blocks. */
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
static int rank_at(const sct_aligned_layout *aligned, int copy, int shared, int free) {
    int parts = aligned->cut_shared ? aligned->shared.each : aligned->free.each;
    int across = copy * parts +
                 (aligned->cut_shared ? shared % aligned->shared.each : free % aligned->free.each);
    int along = shared / aligned->shared.each;
    sct_cell cell = {aligned->shared_is_rows ? along : across,
                     aligned->shared_is_rows ? across : along};
    return sct_layout_place(aligned->stay, free / aligned->free.each, cell).rank;
}

/* Maps the blocks of a layout to the ranks that use them. */
static sct_status map(const sct_aligned_layout *aligned, bool shared_first,
                      const sct_layout *layout, sct_layout **mapped) {
    int rows = layout->rows.coords, cols = layout->cols.coords;
    int count = rows * cols * aligned->copies;
    int *ranks = malloc((size_t)count * sizeof *ranks);
    if (!ranks)
        return no_memory();
    bool same = true;
    for (int i = 0; i < count; i++) {
        int row = i / cols % rows, col = i % cols;
        ranks[i] =
            rank_at(aligned, i / cols / rows, shared_first ? row : col, shared_first ? col : row);
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

static sct_status add_along(const sct_aligned_layout *aligned, bool shared_first,
                            sct_candidates *candidates) {
    sct_layout *layout = NULL, *mapped;
    sct_status status = create_cut(shared_first ? &aligned->shared : &aligned->free,
                                   shared_first ? &aligned->free : &aligned->shared,
                                   aligned->copies, aligned->ranks, &layout);
    if (!status)
        status = map(aligned, shared_first, layout, &mapped);
    sct_layout_destroy(layout);
    return status ? status : add_and_release(candidates, mapped);
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
    if (layout->owner_of || !has_plain_classes(along))
        return SCT_OK;
    sct_status status = SCT_OK;
    /* k is cut first, if it has that dimension: cutting k costs the BLAS least. */
    for (int copies = 1; copies <= (replicas ? users : 1) && !status; copies++)
        for (int way = 0; way < 2 && users % copies == 0 && !status; way++) {
            int parts = users / copies;
            bool cut_shared = (way == 0) == (shared_dim == SCT_DIM_K);
            sct_aligned_layout aligned = {
                .stay = layout,
                .shared_is_rows = rows,
                .ranks = product->ranks,
                .copies = copies,
                .cut_shared = cut_shared,
                .shared = {along->coords, cut_shared ? parts : 1, along, product->size[shared_dim]},
                .free = {layout->replicas, cut_shared ? 1 : parts, NULL, product->size[free_dim]}};
            status = add_along(&aligned, shared_first, candidates);
            if (parts == 1)
                break;
        }
    return status;
}
