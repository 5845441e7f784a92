/* plan_text_axis.h - one dimension of a text picture, divided into at most 16 cells. */
#ifndef CLI_DRAW_PLAN_TEXT_AXIS_H
#define CLI_DRAW_PLAN_TEXT_AXIS_H

#include <stdbool.h>
#include <stdint.h>

enum { AXIS_CELLS = 16 };

struct text_axis {
    int64_t size;
    bool scaled; /* too many cuts for a cell each: cells are equal parts of the dimension */
    int cuts;
    int64_t cut[AXIS_CELLS - 1]; /* ascending, between 0 and size */
    int cells;
    int64_t bound[AXIS_CELLS + 1]; /* cell i is [bound[i], bound[i + 1]) */
};

/* Adds a place where an owner or a step changes. With more cuts than fit, the axis is scaled. */
void text_axis_cut(struct text_axis *axis, int64_t at);
/* Makes the cells, once all cuts are known. Unless the axis is scaled, no cell crosses a cut. */
void text_axis_divide(struct text_axis *axis);

#endif
