/* plan_svg_scale.c - how long m, n and k are drawn in a figure. */
#include "draw/plan_svg_scale.h"

/* Pixels: the longest dimension in scale; the shortest. */
enum { USUAL = 440, SHORTEST = 80 };
/* A block of a matrix that is cut in this dimension alone, and of one that is cut in both: a number
 * can be turned along a strip, but has to fit into a tile. */
enum { STRIP = 9, TILE = 18 };

static int clip(int length, int least, int most) {
    return length < least ? least : length > most ? most : length;
}

static int need(const struct track *track, const struct track *other) {
    return track->blocks * (other->blocks > 1 ? TILE : STRIP);
}

static int most_of(int x, int y) {
    return x > y ? x : y;
}

static void find_least(const struct panel panel[MATRICES], int least[DIMS]) {
    for (int i = 0; i < DIMS; i++)
        least[i] = SHORTEST;
    for (int i = 0; i < MATRICES; i++) {
        const struct track *down = &panel[i].down, *across = &panel[i].across;
        int *rows = &least[scene_down(i)], *cols = &least[scene_across(i)];
        *rows = clip(need(down, across), *rows, TRACK_LENGTH);
        *cols = clip(need(across, down), *cols, TRACK_LENGTH);
    }
}

void spread_find(const int64_t size[DIMS], const struct panel panel[MATRICES],
                 struct spread *spread) {
    int least[DIMS];
    int64_t most = 1;
    find_least(panel, least);
    for (int i = 0; i < DIMS; i++)
        most = size[i] > most ? size[i] : most;
    for (int i = 0; i < DIMS; i++) {
        double length = (double)size[i] / (double)most * USUAL;
        spread->length[i] = most_of((int)(length + 0.5), least[i]);
        spread->times[i] = length > 0 && spread->length[i] > length + 1 ? least[i] / length : 1;
    }
}
