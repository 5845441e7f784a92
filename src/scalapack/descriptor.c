/* descriptor.c - reads array descriptors, says which indices a process owns, and makes layouts of
 * them: block-cyclic on the grid of the processes, column-major.
 *
 * Where a source is -1, each row or column of the grid has a replica, and the grid of a replica is
 * a line or a single process. */
#include "scalapack/descriptor.h"

#include "base/status.h"

#include <stdlib.h>

sct_descriptor sct_descriptor_read(const int *entries) {
    sct_descriptor d = {.kind = entries[0], .context = entries[1]};
    if (d.kind != SCT_BLOCK_CYCLIC && d.kind != SCT_BLOCK_CYCLIC_FIRST)
        return d;
    const int *rest = entries + (d.kind == SCT_BLOCK_CYCLIC_FIRST ? 6 : 4);
    d.rows = entries[2];
    d.cols = entries[3];
    d.first_rows = entries[4];
    d.first_cols = entries[5];
    d.block_rows = rest[0];
    d.block_cols = rest[1];
    d.source_row = rest[2];
    d.source_col = rest[3];
    d.ld = rest[4];
    return d;
}

sct_dealing sct_descriptor_rows(const sct_descriptor *d, int grid_rows) {
    return (sct_dealing){d->rows, d->first_rows, d->block_rows, d->source_row, grid_rows};
}

sct_dealing sct_descriptor_cols(const sct_descriptor *d, int grid_cols) {
    return (sct_dealing){d->cols, d->first_cols, d->block_cols, d->source_col, grid_cols};
}

int sct_dealing_owned(const sct_dealing *dealing, int coord, int end) {
    if (dealing->source < 0 || dealing->coords == 1)
        return end;
    int turn = (coord - dealing->source + dealing->coords) % dealing->coords;
    if (end <= dealing->first)
        return turn == 0 ? end : 0;
    int after = end - dealing->first; /* in blocks 1, 2, ... */
    int blocks = after / dealing->block, rest = after % dealing->block;
    int owned = turn == 0 ? dealing->first : 0;
    /* of the whole blocks 1 to `blocks`, those with number = turn modulo coords */
    owned += (blocks / dealing->coords) * dealing->block;
    int left = blocks % dealing->coords;
    int place = (turn - 1 + dealing->coords) % dealing->coords;
    if (place < left)
        owned += dealing->block;
    return place == left ? owned + rest : owned;
}

sct_dealing sct_dealing_part(const sct_dealing *dealing, int begin, int extent) {
    sct_dealing part = *dealing;
    part.extent = extent;
    if (begin < dealing->first) {
        part.first = dealing->first - begin;
    } else {
        int after = begin - dealing->first;
        part.first = dealing->block - after % dealing->block;
        if (dealing->source >= 0)
            part.source = (dealing->source + 1 + after / dealing->block) % dealing->coords;
    }
    return part;
}

/* ---- Layouts ---- */

/* The grid of one replica. */
typedef struct replica_grid {
    int rows, cols, replicas;
} replica_grid;

static replica_grid find_replica_grid(const sct_descriptor *d, const sct_scalapack_grid *grid) {
    bool all_rows = d->source_row < 0, all_cols = d->source_col < 0;
    return (replica_grid){all_rows ? 1 : grid->rows, all_cols ? 1 : grid->cols,
                          (all_rows ? grid->rows : 1) * (all_cols ? grid->cols : 1)};
}

/* ---- A first block that is larger than the others has no block-cyclic layout: cut it by hand ----
 */

static sct_status make_cuts(const sct_dealing *dealing, int coords, sct_cuts *cuts) {
    int source = dealing->source < 0 ? 0 : dealing->source;
    int64_t rest = (int64_t)dealing->extent - dealing->first;
    int64_t blocks = 1 + (rest > 0 ? (rest - 1) / dealing->block + 1 : 0);
    int64_t *at = calloc((size_t)blocks, sizeof *at);
    int *owners = calloc((size_t)blocks, sizeof *owners);
    *cuts = (sct_cuts){blocks, at, owners};
    if (!at || !owners)
        return sct_no_memory("a layout");
    for (int64_t i = 0; i < blocks; i++) {
        if (i < blocks - 1)
            at[i] = dealing->first + i * dealing->block;
        owners[i] = (int)((source + i) % coords);
    }
    return SCT_OK;
}

static void free_cuts(sct_cuts *cuts) {
    free((int64_t *)cuts->cuts);
    free((int *)cuts->owners);
}

static sct_status make_by_cuts(const sct_descriptor *d, const replica_grid *grid,
                               sct_layout **layout) {
    sct_dealing down = sct_descriptor_rows(d, grid->rows),
                across = sct_descriptor_cols(d, grid->cols);
    sct_cuts rows = {.blocks = 0}, cols = {.blocks = 0};
    sct_status status = make_cuts(&down, grid->rows, &rows);
    if (!status)
        status = make_cuts(&across, grid->cols, &cols);
    if (!status)
        status =
            sct_layout_create_cuts(d->rows, d->cols, grid->rows, grid->cols, &rows, &cols, layout);
    free_cuts(&rows);
    free_cuts(&cols);
    return status;
}

static sct_status make_cyclic(const sct_descriptor *d, const replica_grid *grid,
                              sct_layout **layout) {
    sct_cyclic cyclic = {.size = sizeof cyclic,
                         .block_rows = d->block_rows,
                         .block_cols = d->block_cols,
                         .grid_rows = grid->rows,
                         .grid_cols = grid->cols,
                         .source_row = d->source_row < 0 ? 0 : d->source_row,
                         .source_col = d->source_col < 0 ? 0 : d->source_col,
                         .first_rows = d->first_rows,
                         .first_cols = d->first_cols};
    if (d->first_rows > d->block_rows || d->first_cols > d->block_cols)
        return make_by_cuts(d, grid, layout);
    return sct_layout_create_cyclic(d->rows, d->cols, &cyclic, layout);
}

/* ---- The ranks ---- */

static int rank_at(const sct_scalapack_grid *grid, int row, int col) {
    int position = row * grid->cols + col;
    return grid->ranks ? grid->ranks[position] : position;
}

/* The rank at each position, which counts replicas, then rows, then columns of their grid. */
static sct_status make_map(const sct_descriptor *d, const sct_scalapack_grid *grid, int **map,
                           bool *identity) {
    replica_grid one = find_replica_grid(d, grid);
    int *ranks = calloc((size_t)grid->rows * (size_t)grid->cols, sizeof *ranks);
    if (!ranks)
        return sct_no_memory("a layout");
    int position = 0;
    *identity = true;
    for (int replica = 0; replica < one.replicas; replica++) {
        int down = d->source_row >= 0 ? 0 : d->source_col >= 0 ? replica : replica / grid->cols;
        int right = d->source_col >= 0 ? 0 : replica % grid->cols;
        for (int i = 0; i < one.rows; i++)
            for (int j = 0; j < one.cols; j++, position++) {
                ranks[position] = rank_at(grid, down + i, right + j);
                *identity &= ranks[position] == position;
            }
    }
    *map = ranks;
    return SCT_OK;
}

/* Replaces *layout by what the last step made of it. */
static void replace(sct_status status, sct_layout *made, sct_layout **layout) {
    sct_layout_destroy(*layout);
    *layout = status ? NULL : made;
}

static sct_status store_and_replicate(int replicas, sct_layout **layout) {
    sct_layout *made = NULL;
    sct_status status = sct_layout_store(*layout, SCT_COL_MAJOR, &made);
    replace(status, made, layout);
    if (status || replicas == 1)
        return status;
    status = sct_layout_replicate(*layout, replicas, &made);
    replace(status, made, layout);
    return status;
}

static sct_status map_ranks(const sct_descriptor *d, const sct_scalapack_grid *grid,
                            sct_layout **layout) {
    sct_layout *made = NULL;
    int *map = NULL;
    bool identity = true;
    sct_status status = make_map(d, grid, &map, &identity);
    if (!status && !identity) {
        status = sct_layout_map_ranks(*layout, map, &made);
        replace(status, made, layout);
    }
    free(map);
    return status;
}

sct_status sct_layout_of_descriptor(const sct_descriptor *d, const sct_scalapack_grid *grid,
                                    sct_layout **layout) {
    replica_grid one = find_replica_grid(d, grid);
    sct_layout *made = NULL;
    sct_status status = make_cyclic(d, &one, &made);
    if (!status)
        status = store_and_replicate(one.replicas, &made);
    if (!status)
        status = map_ranks(d, grid, &made);
    if (status)
        sct_layout_destroy(made);
    else
        *layout = made;
    return status;
}
