/* plan_text_axis.c - one dimension of a text picture, divided into at most 16 cells. */
#include "draw/plan_text_axis.h"

#include <string.h>

/* With few cuts, cells are divided further until there are about this many. */
enum { PREFERRED_CELLS = 10 };

void text_axis_cut(struct text_axis *axis, int64_t at) {
    int place = 0;
    if (axis->scaled || at <= 0 || at >= axis->size)
        return;
    while (place < axis->cuts && axis->cut[place] < at)
        place++;
    if (place < axis->cuts && axis->cut[place] == at)
        return;
    if (axis->cuts == AXIS_CELLS - 1) {
        axis->scaled = true;
        return;
    }
    memmove(&axis->cut[place + 1], &axis->cut[place],
            (size_t)(axis->cuts - place) * sizeof *axis->cut);
    axis->cut[place] = at;
    axis->cuts++;
}

/* The number of cells of about `width` indices for `length` indices: at least one. */
static int cells_of(int64_t length, double width) {
    int cells = (int)((double)length / width + 0.5);
    return cells < 1 ? 1 : cells > length ? (int)length : cells;
}

/* Appends equal cells of [low, high). */
static void append_cells(struct text_axis *axis, int64_t low, int64_t high, int cells) {
    int64_t width = (high - low) / cells, rest = (high - low) % cells;
    for (int j = 1; j <= cells; j++)
        axis->bound[++axis->cells] = low + width * j + rest * j / cells;
}

/* Divides what lies between cuts into cells of about `width`; false if they are too many. */
static bool divide(struct text_axis *axis, double width) {
    int64_t low = 0;
    axis->cells = 0;
    for (int i = 0; low < axis->size; i++) {
        int64_t high = i < axis->cuts ? axis->cut[i] : axis->size;
        int cells = cells_of(high - low, width);
        if (axis->cells + cells > AXIS_CELLS)
            return false;
        append_cells(axis, low, high, cells);
        low = high;
    }
    return true;
}

void text_axis_divide(struct text_axis *axis) {
    if (axis->scaled) {
        append_cells(axis, 0, axis->size, AXIS_CELLS);
        return;
    }
    /* Ends at the latest with one cell between two cuts, which always fits. */
    for (int cells = PREFERRED_CELLS; !divide(axis, (double)axis->size / cells); cells--)
        continue;
}
