/* print.c - prints a layout as text that parses back to it. */
#include "layout/layout.h"

#include "base/text_writer.h"
#include "layout/strides.h"

#include <string.h>

static void put_ints(sct_writer *writer, int64_t count, const int *items) {
    for (int64_t i = 0; i < count; i++)
        sct_writer_put(writer, "%s%d", i > 0 ? "," : "", items[i]);
}

static void put_inner_bounds(sct_writer *writer, const sct_axis *axis) {
    if (axis->blocks == 1)
        sct_writer_put(writer, "-");
    for (int64_t b = 1; b < axis->blocks; b++)
        sct_writer_put(writer, "%s%lld", b > 1 ? "," : "", (long long)axis->bounds[b]);
}

static int highest(int64_t count, const int *items) {
    int most = 0;
    for (int64_t i = 0; i < count; i++)
        most = items[i] > most ? items[i] : most;
    return most;
}

static void put_cyclic(sct_writer *writer, const sct_layout *layout) {
    const sct_axis *rows = &layout->rows, *cols = &layout->cols;
    sct_writer_put(writer, "cyclic:%lldx%lld", (long long)rows->block, (long long)cols->block);
    if (!layout->grid_implied)
        sct_writer_put(writer, "@%dx%d", rows->coords, cols->coords);
    if (rows->source != 0 || cols->source != 0)
        sct_writer_put(writer, ",src=%dx%d", rows->source, cols->source);
    if (rows->first != rows->block || cols->first != cols->block)
        sct_writer_put(writer, ",first=%lldx%lld", (long long)rows->first, (long long)cols->first);
}

static void put_grid_owners(sct_writer *writer, const sct_axis *rows, const sct_axis *cols) {
    put_ints(writer, rows->blocks, rows->owners);
    sct_writer_put(writer, "x");
    put_ints(writer, cols->blocks, cols->owners);
    if (rows->coords > highest(rows->blocks, rows->owners) + 1 ||
        cols->coords > highest(cols->blocks, cols->owners) + 1)
        sct_writer_put(writer, "@%dx%d", rows->coords, cols->coords);
}

static void put_tile_owners(sct_writer *writer, const sct_layout *layout) {
    int64_t tiles = layout->rows.blocks * layout->cols.blocks;
    put_ints(writer, tiles, layout->owner_of);
    if (layout->positions > highest(tiles, layout->owner_of) + 1)
        sct_writer_put(writer, "@%d", layout->positions);
}

static void put_cuts(sct_writer *writer, const sct_layout *layout) {
    sct_writer_put(writer, "cuts:");
    put_inner_bounds(writer, &layout->rows);
    sct_writer_put(writer, "x");
    put_inner_bounds(writer, &layout->cols);
    sct_writer_put(writer, "@");
    if (layout->owner_of)
        put_tile_owners(writer, layout);
    else
        put_grid_owners(writer, &layout->rows, &layout->cols);
}

static void put_base(sct_writer *writer, const sct_layout *layout) {
    switch (layout->form) {
    case SCT_FORM_ROW:
    case SCT_FORM_COL:
        sct_writer_put(writer, layout->form == SCT_FORM_ROW ? "row" : "col");
        if (!layout->grid_implied)
            sct_writer_put(writer, "@%d", layout->positions);
        break;
    case SCT_FORM_2D:
        sct_writer_put(writer, "2d");
        if (!layout->grid_implied)
            sct_writer_put(writer, ":%dx%d", layout->rows.coords, layout->cols.coords);
        break;
    case SCT_FORM_CYCLIC:
        put_cyclic(writer, layout);
        break;
    case SCT_FORM_CUTS:
        put_cuts(writer, layout);
        break;
    }
}

/* Prints a rank map, by strides if it is long and has a pattern. */
static void put_map(sct_writer *writer, const sct_layout *layout) {
    enum { FEW = 8 };
    sct_stride stride[SCT_MOST_STRIDES];
    int strides = layout->strides, places = layout->positions * layout->replicas, few[FEW];
    memcpy(stride, layout->stride, sizeof stride);
    if (places > FEW && strides == 0)
        strides = sct_strides_find(layout->rank_of, places, stride);
    sct_writer_put(writer, "%%");
    for (int i = 0; i < strides && places > FEW; i++)
        sct_writer_put(writer, "%s%dx%d", i > 0 ? "," : "", stride[i].by, stride[i].times);
    for (int i = 0; i < places && places <= FEW; i++)
        few[i] = sct_layout_rank(layout, i);
    if (strides == 0 || places <= FEW)
        put_ints(writer, places, places <= FEW ? few : layout->rank_of);
}

size_t sct_layout_print(const sct_layout *layout, char *text, size_t bytes) {
    sct_writer writer = {text, bytes, 0};
    put_base(&writer, layout);
    if (layout->replicas > 1)
        sct_writer_put(&writer, "*%d", layout->replicas);
    if (layout->share_block > 0)
        sct_writer_put(&writer, ":%lld", (long long)layout->share_block);
    if (sct_layout_is_mapped(layout))
        put_map(&writer, layout);
    if (layout->order == SCT_COL_MAJOR)
        sct_writer_put(&writer, "/f");
    return writer.length;
}
