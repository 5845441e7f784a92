/* plan_text_axis.h - one dimension of a picture, cut into a few cells that no owner or step
 * divides. */
#ifndef CLI_DRAW_PLAN_TEXT_AXIS_H
#define CLI_DRAW_PLAN_TEXT_AXIS_H

#include <stdbool.h>
#include <stdint.h>

enum { AXIS_CELLS = 16 };

struct axis {
    int64_t size;
    int cuts;
    int64_t cut[AXIS_CELLS]; /* the lowest cuts, ascending, between 0 and size */
    int cells;
    int64_t bound[AXIS_CELLS + 1]; /* cell i is [bound[i], bound[i + 1]) */
};

/* Remembers a cut if it is among the lowest. */
void axis_cut(struct axis *axis, int64_t at);
/* Whether cuts at or above `at` would be forgotten. */
bool axis_is_full(const struct axis *axis, int64_t at);
/* Makes cells of what lies between cuts, and more of them, about equally large, if there is room.
 * With too many cuts the cells end before the size. */
void axis_divide(struct axis *axis);
/* The last bound. */
int64_t axis_end(const struct axis *axis);

#endif
