/* create.c - creates layouts: rows, columns, 2-D, block-cyclic, cuts, tiles; and from other
 * layouts: replicated, mapped, in another storage order. A new kind begins here, or in axis.c if it
 * cuts one dimension in a new way. */
#include "layout/layout.h"

#include "base/checked.h"
#include "base/status.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Makes a layout from its axes, which it takes over or clears. */
static sct_status assemble(sct_form form, sct_axis *rows, sct_axis *cols, sct_layout **layout) {
    int64_t positions = (int64_t)rows->coords * cols->coords;
    sct_status status = sct_check_output("layout", layout);
    sct_layout *made = NULL;
    if (!status && positions > INT_MAX)
        status = sct_fail(SCT_TOO_LARGE, "a grid of %dx%d is more than %d ranks", rows->coords,
                          cols->coords, INT_MAX);
    else if (!status && !(made = calloc(1, sizeof *made)))
        status = sct_no_memory("a layout");
    if (status) {
        sct_axis_clear(rows);
        sct_axis_clear(cols);
        return status;
    }
    made->holders = 1;
    made->rows = *rows;
    made->cols = *cols;
    made->replicas = 1;
    made->positions = made->ranks = (int)positions;
    made->form = form;
    *layout = made;
    return SCT_OK;
}

/* Equal shares, one block per coordinate; the last ones may be short or empty. */
static sct_status share(const char *name, int64_t extent, int coords, sct_axis *axis) {
    int64_t block = coords > 0 && extent > 0 ? (extent - 1) / coords + 1 : 1;
    return sct_axis_deal(name, extent, block, 0, 0, coords, axis);
}

static sct_status create_blocks(sct_form form, int64_t rows, int64_t cols, int grid_rows,
                                int grid_cols, sct_layout **layout) {
    sct_axis row_axis, col_axis;
    sct_status status = share("rows", rows, grid_rows, &row_axis);
    if (!status)
        status = share("columns", cols, grid_cols, &col_axis);
    return status ? status : assemble(form, &row_axis, &col_axis, layout);
}

sct_status sct_layout_create_row(int64_t rows, int64_t cols, int ranks, sct_layout **layout) {
    return create_blocks(SCT_FORM_ROW, rows, cols, ranks, 1, layout);
}

sct_status sct_layout_create_col(int64_t rows, int64_t cols, int ranks, sct_layout **layout) {
    return create_blocks(SCT_FORM_COL, rows, cols, 1, ranks, layout);
}

sct_status sct_layout_create_2d(int64_t rows, int64_t cols, int grid_rows, int grid_cols,
                                sct_layout **layout) {
    return create_blocks(SCT_FORM_2D, rows, cols, grid_rows, grid_cols, layout);
}

sct_status sct_layout_create_cyclic(int64_t rows, int64_t cols, const sct_cyclic *cyclic,
                                    sct_layout **layout) {
    sct_axis row_axis, col_axis;
    sct_status status = sct_check_given("cyclic", cyclic);
    if (!status)
        status = sct_check_size("cyclic", cyclic->size, sizeof *cyclic, sizeof *cyclic);
    if (!status)
        status = sct_axis_deal("rows", rows, cyclic->block_rows, cyclic->first_rows,
                               cyclic->source_row, cyclic->grid_rows, &row_axis);
    if (!status)
        status = sct_axis_deal("columns", cols, cyclic->block_cols, cyclic->first_cols,
                               cyclic->source_col, cyclic->grid_cols, &col_axis);
    return status ? status : assemble(SCT_FORM_CYCLIC, &row_axis, &col_axis, layout);
}

static sct_status cut_both(int64_t rows, int64_t cols, const sct_cuts *row_cuts,
                           const sct_cuts *col_cuts, const int *row_owners, const int *col_owners,
                           int grid_rows, int grid_cols, sct_layout **layout) {
    sct_axis row_axis, col_axis;
    sct_status status = sct_axis_cut("rows", rows, row_cuts, row_owners, grid_rows, &row_axis);
    if (status)
        return status;
    if ((status = sct_axis_cut("columns", cols, col_cuts, col_owners, grid_cols, &col_axis))) {
        sct_axis_clear(&row_axis);
        return status;
    }
    return assemble(SCT_FORM_CUTS, &row_axis, &col_axis, layout);
}

sct_status sct_layout_create_cuts(int64_t rows, int64_t cols, int grid_rows, int grid_cols,
                                  const sct_cuts *row_cuts, const sct_cuts *col_cuts,
                                  sct_layout **layout) {
    if (grid_rows < 1 || grid_cols < 1)
        return sct_fail(SCT_BAD_ARGUMENT, "a grid of %dx%d has no ranks", grid_rows, grid_cols);
    if (!row_cuts || !col_cuts || !row_cuts->owners || !col_cuts->owners)
        return sct_fail(SCT_BAD_ARGUMENT, "cuts: the owners are NULL");
    return cut_both(rows, cols, row_cuts, col_cuts, row_cuts->owners, col_cuts->owners, grid_rows,
                    grid_cols, layout);
}

/* Copies an axis; with cuts, as explicit cuts. */
static sct_status copy_axis(const sct_axis *axis, bool cuts, sct_axis *copy) {
    *copy = *axis;
    if (!cuts)
        return SCT_OK;
    size_t blocks = (size_t)sct_max(axis->blocks, 1);
    int64_t *at = malloc(blocks * sizeof *at);
    int *owners = calloc(blocks, sizeof *owners);
    sct_status status = at && owners ? SCT_OK : sct_no_memory("a layout");
    for (int64_t b = 0; b < axis->blocks && !status; b++) {
        at[b] = sct_axis_bounds(axis, b).hi;
        owners[b] = sct_axis_owner(axis, b);
    }
    sct_cuts list = {.blocks = (int64_t)blocks, .cuts = at, .owners = owners};
    if (!status)
        status = sct_axis_cut("an axis", axis->extent, &list, owners, axis->coords, copy);
    free(at);
    free(owners);
    return status;
}

/* True if each coordinate has one block at most, all of the default size. */
static bool is_shared(const sct_axis *axis) {
    int64_t block = axis->extent > 0 ? (axis->extent - 1) / axis->coords + 1 : 1;
    return !axis->bounds && axis->block == block && axis->first == block && axis->source == 0;
}

sct_status sct_layout_create_grid(const sct_axis *rows, const sct_axis *cols, sct_layout **layout) {
    sct_axis row_axis, col_axis;
    bool cuts = rows->bounds || cols->bounds;
    sct_form form = cuts                                 ? SCT_FORM_CUTS
                    : is_shared(rows) && is_shared(cols) ? SCT_FORM_2D
                                                         : SCT_FORM_CYCLIC;
    sct_status status = copy_axis(rows, cuts, &row_axis);
    if (status)
        return status;
    if ((status = copy_axis(cols, cuts, &col_axis))) {
        sct_axis_clear(&row_axis);
        return status;
    }
    return assemble(form, &row_axis, &col_axis, layout);
}

/* Numbers each rank's tiles in row-major order. */
static sct_status deal_tiles(sct_layout *layout, int ranks, const int *owners) {
    int tiles = layout->positions;
    layout->owner_of = malloc((size_t)tiles * sizeof(int));
    layout->number_of = malloc((size_t)tiles * sizeof(int));
    layout->tile_of = malloc((size_t)tiles * sizeof(int));
    layout->first_of = calloc((size_t)ranks + 1, sizeof(int));
    if (!layout->owner_of || !layout->number_of || !layout->tile_of || !layout->first_of)
        return sct_no_memory("a layout");
    layout->positions = layout->ranks = ranks;
    memcpy(layout->owner_of, owners, (size_t)tiles * sizeof(int));
    for (int t = 0; t < tiles; t++)
        layout->number_of[t] = layout->first_of[owners[t] + 1]++;
    for (int r = 0; r < ranks; r++)
        layout->first_of[r + 1] += layout->first_of[r];
    for (int t = 0; t < tiles; t++)
        layout->tile_of[layout->first_of[owners[t]] + layout->number_of[t]] = t;
    return SCT_OK;
}

sct_status sct_layout_create_tiles(int64_t rows, int64_t cols, int ranks, const sct_cuts *row_cuts,
                                   const sct_cuts *col_cuts, const int *owners,
                                   sct_layout **layout) {
    sct_layout *made;
    sct_status status = sct_check_given("owners", owners);
    if (!status)
        status = sct_check_output("layout", layout);
    if (!status)
        status = cut_both(rows, cols, row_cuts, col_cuts, NULL, NULL, 1, 1, &made);
    if (status)
        return status;
    for (int t = 0; t < made->positions && !status; t++)
        if (owners[t] < 0 || owners[t] >= ranks)
            status = sct_fail(SCT_BAD_ARGUMENT, "tile %d: owner %d is not between 0 and %d", t,
                              owners[t], ranks - 1);
    if (!status)
        status = deal_tiles(made, ranks, owners);
    if (status)
        sct_layout_destroy(made);
    else
        *layout = made;
    return status;
}

/* Checks the layout that another one is derived from. */
static sct_status check_source(const sct_layout *layout, sct_layout *const *made) {
    sct_status status = sct_check_given("layout", layout);
    return status ? status : sct_check_output("layout", made);
}

/* Begins a layout that shares the arrays of another one. */
static sct_status derive(const sct_layout *layout, sct_layout **derived) {
    sct_layout *made = malloc(sizeof *made);
    if (!made)
        return sct_no_memory("a layout");
    *made = (sct_layout){.holders = 1,
                         .source = sct_layout_hold(layout),
                         .rows = layout->rows,
                         .cols = layout->cols,
                         .replicas = layout->replicas,
                         .share_block = layout->share_block,
                         .positions = layout->positions,
                         .ranks = layout->ranks,
                         .order = layout->order,
                         .form = layout->form,
                         .grid_implied = layout->grid_implied,
                         .strides = layout->strides,
                         .rank_of = layout->rank_of,
                         .by_rank = layout->by_rank,
                         .owner_of = layout->owner_of,
                         .number_of = layout->number_of,
                         .tile_of = layout->tile_of,
                         .first_of = layout->first_of};
    memcpy(made->stride, layout->stride, sizeof made->stride);
    *derived = made;
    return SCT_OK;
}

sct_status sct_layout_store(const sct_layout *layout, sct_order order, sct_layout **stored) {
    sct_status status = check_source(layout, stored);
    if (status)
        return status;
    if (order != SCT_ROW_MAJOR && order != SCT_COL_MAJOR)
        return sct_fail(SCT_BAD_ARGUMENT, "order %d is neither row-major nor column-major",
                        (int)order);
    status = derive(layout, stored);
    if (!status)
        (*stored)->order = order;
    return status;
}

sct_status sct_layout_replicate(const sct_layout *layout, int copies, sct_layout **replicated) {
    sct_status status = check_source(layout, replicated);
    if (status)
        return status;
    if (copies < 1)
        return sct_fail(SCT_BAD_ARGUMENT, "replicas: %d is not at least 1", copies);
    if (sct_layout_is_mapped(layout) || layout->replicas > 1)
        return sct_fail(
            SCT_BAD_ARGUMENT,
            "a layout can be replicated only once, and only before its ranks are mapped");
    if ((int64_t)layout->positions * copies > INT_MAX)
        return sct_fail(SCT_TOO_LARGE, "%d replicas on %d ranks each are more than %d ranks",
                        copies, layout->positions, INT_MAX);
    status = derive(layout, replicated);
    if (!status) {
        (*replicated)->replicas = copies;
        (*replicated)->ranks = layout->positions * copies;
    }
    return status;
}

sct_status sct_layout_share(const sct_layout *layout, int64_t block, sct_layout **shared) {
    sct_status status = check_source(layout, shared);
    if (status)
        return status;
    if (block < 0)
        return sct_fail(SCT_BAD_ARGUMENT, "shares: blocks of %lld are not of at least 1",
                        (long long)block);
    status = derive(layout, shared);
    if (!status)
        (*shared)->share_block = layout->replicas > 1 ? block : 0;
    return status;
}

static int compare_ranks(const void *x, const void *y) {
    const sct_mapped *one = x, *other = y;
    return (one->rank > other->rank) - (one->rank < other->rank);
}

static bool set_strides(sct_layout *layout, int strides) {
    layout->strides = sct_strides_permute(layout->stride, strides) ? strides : 0;
    if (layout->strides > 0)
        layout->ranks = layout->positions * layout->replicas;
    return layout->strides > 0;
}

/* Keeps a map as a table, unless strides describe it. */
static sct_status set_map(sct_layout *layout, int count, const int *map) {
    if (set_strides(layout, sct_strides_find(map, count, layout->stride)))
        return SCT_OK;
    layout->rank_of = malloc((size_t)count * sizeof *layout->rank_of);
    layout->by_rank = malloc((size_t)count * sizeof *layout->by_rank);
    if (!layout->rank_of || !layout->by_rank)
        return sct_no_memory("a layout");
    for (int i = 0; i < count; i++) {
        layout->rank_of[i] = map[i];
        layout->by_rank[i] = (sct_mapped){.rank = map[i], .position = i};
    }
    qsort(layout->by_rank, (size_t)count, sizeof *layout->by_rank, compare_ranks);
    layout->ranks = layout->by_rank[count - 1].rank + 1;
    if (layout->ranks > count)
        layout->grid_implied = false; /* a larger grid would be implied by this many ranks */
    for (int i = 1; i < count; i++)
        if (layout->by_rank[i].rank == layout->by_rank[i - 1].rank)
            return sct_fail(SCT_BAD_ARGUMENT, "rank map: rank %d appears twice",
                            layout->by_rank[i].rank);
    return SCT_OK;
}

static sct_status check_unmapped(const sct_layout *layout) {
    return sct_layout_is_mapped(layout) || layout->owner_of
               ? sct_fail(SCT_BAD_ARGUMENT,
                          "rank map: the layout has one already, or owners for its tiles")
               : SCT_OK;
}

sct_status sct_layout_map_ranks(const sct_layout *layout, const int *map, sct_layout **mapped) {
    sct_status status = check_source(layout, mapped);
    if (!status)
        status = sct_check_given("map", map);
    if (!status)
        status = check_unmapped(layout);
    if (status)
        return status;
    int count = layout->positions * layout->replicas;
    for (int i = 0; i < count; i++)
        if (map[i] < 0 || map[i] == INT_MAX)
            return sct_fail(SCT_BAD_ARGUMENT, "rank map: %d is not a rank", map[i]);
    sct_layout *made;
    if ((status = derive(layout, &made)))
        return status;
    if ((status = set_map(made, count, map)))
        sct_layout_destroy(made);
    else
        *mapped = made;
    return status;
}

/* A map that does not permute the ranks, as a table. */
static sct_status map_by_table(const sct_layout *layout, const sct_stride *stride, int strides,
                               sct_layout **mapped) {
    int count = layout->positions * layout->replicas;
    int *map = malloc((size_t)count * sizeof *map);
    if (!map)
        return sct_no_memory("a layout");
    for (int place = 0; place < count; place++)
        map[place] = (int)sct_strides_rank(stride, strides, place);
    sct_status status = sct_layout_map_ranks(layout, map, mapped);
    free(map);
    return status;
}

sct_status sct_layout_map_strides(const sct_layout *layout, const sct_stride *stride, int strides,
                                  sct_layout **mapped) {
    sct_layout *made;
    sct_status status = check_unmapped(layout);
    if (!status)
        status = derive(layout, &made);
    if (status)
        return status;
    memcpy(made->stride, stride, (size_t)strides * sizeof *stride);
    if (set_strides(made, sct_strides_join(made->stride, strides))) {
        *mapped = made;
        return SCT_OK;
    }
    sct_layout_destroy(made);
    return map_by_table(layout, stride, strides, mapped);
}
