/* plan_text_axis.c - one dimension of a picture, cut into a few cells that no owner or step
 * divides. */
#include "draw/plan_text_axis.h"

#include <string.h>

/* As many cells look good if there are few cuts. */
enum { PLENTY = 10 };

bool axis_is_full(const struct axis *axis, int64_t at) {
    return axis->cuts == AXIS_CELLS && at >= axis->cut[AXIS_CELLS - 1];
}

void axis_cut(struct axis *axis, int64_t at) {
    int place = 0;
    if (at <= 0 || at >= axis->size || axis_is_full(axis, at))
        return;
    while (place < axis->cuts && axis->cut[place] < at)
        place++;
    if (place < axis->cuts && axis->cut[place] == at)
        return;
    if (axis->cuts < AXIS_CELLS)
        axis->cuts++;
    memmove(&axis->cut[place + 1], &axis->cut[place],
            (size_t)(axis->cuts - 1 - place) * sizeof *axis->cut);
    axis->cut[place] = at;
}

int64_t axis_end(const struct axis *axis) {
    return axis->cuts == AXIS_CELLS ? axis->cut[AXIS_CELLS - 1] : axis->size;
}

/* How many cells, of about `width` each, stand for `length` indices. */
static int cells_of(int64_t length, double width) {
    int cells = (int)((double)length / width + 0.5);
    return cells < 1 ? 1 : cells > length ? (int)length : cells;
}

/* Divides into cells of about `width`; false if they are too many. */
static bool divide(struct axis *axis, double width) {
    int64_t end = axis_end(axis), low = 0;
    axis->cells = 0;
    axis->bound[0] = 0;
    for (int i = 0; low < end; i++) {
        int64_t high = i < axis->cuts ? axis->cut[i] : end;
        int cells = cells_of(high - low, width);
        if (axis->cells + cells > AXIS_CELLS)
            return false;
        for (int j = 1; j <= cells; j++)
            axis->bound[++axis->cells] = low + (high - low) / cells * j;
        axis->bound[axis->cells] = high;
        low = high;
    }
    return true;
}

void axis_divide(struct axis *axis) {
    /* One cell for each interval always fits, and that is what the widest width gives. */
    for (int cells = PLENTY; !divide(axis, (double)axis_end(axis) / cells); cells--)
        continue;
}
