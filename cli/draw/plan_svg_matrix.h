/* plan_svg_matrix.h - one matrix of a figure: its tiles in the colours of their owners. */
#ifndef CLI_DRAW_PLAN_SVG_MATRIX_H
#define CLI_DRAW_PLAN_SVG_MATRIX_H

#include "draw/plan_svg_axis.h"

#include <stdio.h>

struct panel {
    int matrix;
    int x, y; /* of its upper left corner */
    struct track down, across;
};

/* The tiles, with the ranks that own them where there is room, in front of an outline for each of
 * the first other replicas; and where the cuts are. */
void panel_draw(const struct scene *scene, const struct panel *panel, FILE *out);
/* Frames what the rank itself owns; false if that is nothing. */
bool panel_frame(const struct scene *scene, const struct panel *panel, FILE *out);

#endif
