/* print.c - the text of a layout, which parses back to it. */
#include "layout/layout.h"

#include <stdarg.h>
#include <stdio.h>

struct writer {
    char *text;
    size_t bytes, length; /* length: of the whole text so far, even if it did not fit */
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *writer, const char *format,
                                                      ...) {
    bool full = writer->length >= writer->bytes;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(full ? NULL : writer->text + writer->length,
                           full ? 0 : writer->bytes - writer->length, format, arguments);
    va_end(arguments);
    writer->length += (size_t)length;
}

static void put_ints(struct writer *writer, int64_t count, const int *items) {
    for (int64_t i = 0; i < count; i++)
        put(writer, "%s%d", i > 0 ? "," : "", items[i]);
}

static void put_inner_bounds(struct writer *writer, const sct_axis *axis) {
    if (axis->blocks == 1)
        put(writer, "-");
    for (int64_t b = 1; b < axis->blocks; b++)
        put(writer, "%s%lld", b > 1 ? "," : "", (long long)axis->bounds[b]);
}

static int highest(int64_t count, const int *items) {
    int most = 0;
    for (int64_t i = 0; i < count; i++)
        most = items[i] > most ? items[i] : most;
    return most;
}

static void put_cyclic(struct writer *writer, const sct_layout *layout) {
    const sct_axis *rows = &layout->rows, *cols = &layout->cols;
    put(writer, "cyclic:%lldx%lld", (long long)rows->block, (long long)cols->block);
    if (!layout->grid_implied)
        put(writer, "@%dx%d", rows->coords, cols->coords);
    if (rows->source != 0 || cols->source != 0)
        put(writer, ",src=%dx%d", rows->source, cols->source);
    if (rows->first != rows->block || cols->first != cols->block)
        put(writer, ",first=%lldx%lld", (long long)rows->first, (long long)cols->first);
}

static void put_grid_owners(struct writer *writer, const sct_axis *rows, const sct_axis *cols) {
    put_ints(writer, rows->blocks, rows->owners);
    put(writer, "x");
    put_ints(writer, cols->blocks, cols->owners);
    if (rows->coords > highest(rows->blocks, rows->owners) + 1 ||
        cols->coords > highest(cols->blocks, cols->owners) + 1)
        put(writer, "@%dx%d", rows->coords, cols->coords);
}

static void put_tile_owners(struct writer *writer, const sct_layout *layout) {
    int64_t tiles = layout->rows.blocks * layout->cols.blocks;
    put_ints(writer, tiles, layout->owner_of);
    if (layout->positions > highest(tiles, layout->owner_of) + 1)
        put(writer, "@%d", layout->positions);
}

static void put_cuts(struct writer *writer, const sct_layout *layout) {
    put(writer, "cuts:");
    put_inner_bounds(writer, &layout->rows);
    put(writer, "x");
    put_inner_bounds(writer, &layout->cols);
    put(writer, "@");
    if (layout->owner_of)
        put_tile_owners(writer, layout);
    else
        put_grid_owners(writer, &layout->rows, &layout->cols);
}

static void put_base(struct writer *writer, const sct_layout *layout) {
    switch (layout->form) {
    case SCT_FORM_ROW:
    case SCT_FORM_COL:
        put(writer, layout->form == SCT_FORM_ROW ? "row" : "col");
        if (!layout->grid_implied)
            put(writer, "@%d", layout->positions);
        break;
    case SCT_FORM_2D:
        put(writer, "2d");
        if (!layout->grid_implied)
            put(writer, ":%dx%d", layout->rows.coords, layout->cols.coords);
        break;
    case SCT_FORM_CYCLIC:
        put_cyclic(writer, layout);
        break;
    case SCT_FORM_CUTS:
        put_cuts(writer, layout);
        break;
    }
}

size_t sct_layout_print(const sct_layout *layout, char *text, size_t bytes) {
    struct writer writer = {text, bytes, 0};
    put_base(&writer, layout);
    if (layout->replicas > 1)
        put(&writer, "*%d", layout->replicas);
    if (layout->rank_of) {
        put(&writer, "%%");
        put_ints(&writer, (int64_t)layout->positions * layout->replicas, layout->rank_of);
    }
    if (layout->order == SCT_COL_MAJOR)
        put(&writer, "/f");
    return writer.length;
}
