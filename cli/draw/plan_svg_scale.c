/* plan_svg_scale.c - the lengths of m, n and k in a plan picture. */
#include "draw/plan_svg_scale.h"

/* Pixels: the longest dimension when all are to scale, and the minimum for any. */
enum { USUAL = 440, SHORTEST = 80 };
/* Pixels per block: in a matrix cut in this dimension alone, where numbers can be rotated along a
 * strip, and in a matrix cut in both, where a number must fit a tile. */
enum { STRIP = 9, TILE = 18 };

static int clip(int length, int least, int most) {
    return length < least ? least : length > most ? most : length;
}

static int need(const struct svg_axis *axis, const struct svg_axis *other) {
    return axis->blocks * (other->blocks > 1 ? TILE : STRIP);
}

static int most_of(int x, int y) {
    return x > y ? x : y;
}

static void find_least(const struct svg_matrix view[MATRICES], int least[DIMS]) {
    for (int i = 0; i < DIMS; i++)
        least[i] = SHORTEST;
    for (int i = 0; i < MATRICES; i++) {
        const struct svg_axis *down = &view[i].down, *across = &view[i].across;
        int *rows = &least[drawing_down(i)], *cols = &least[drawing_across(i)];
        *rows = clip(need(down, across), *rows, SVG_AXIS_LENGTH);
        *cols = clip(need(across, down), *cols, SVG_AXIS_LENGTH);
    }
}

void svg_scale_find(const int64_t size[DIMS], const struct svg_matrix view[MATRICES],
                    struct svg_scale *scale) {
    int least[DIMS];
    int64_t most = 1;
    find_least(view, least);
    for (int i = 0; i < DIMS; i++)
        most = size[i] > most ? size[i] : most;
    for (int i = 0; i < DIMS; i++) {
        double length = (double)size[i] / (double)most * USUAL;
        scale->length[i] = most_of((int)(length + 0.5), least[i]);
        scale->times[i] = length > 0 && scale->length[i] > length + 1 ? least[i] / length : 1;
    }
}
