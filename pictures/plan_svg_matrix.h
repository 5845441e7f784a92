/* plan_svg_matrix.h - draws one matrix of a plan picture: its tiles in the colours of their owners.
 */
#ifndef PICTURES_PLAN_SVG_MATRIX_H
#define PICTURES_PLAN_SVG_MATRIX_H

#include "pictures/plan_svg_axis.h"

#include <stdio.h>

struct svg_matrix {
    int matrix;
    int x, y; /* upper left corner */
    struct svg_axis down, across;
};

/* Draws the tiles with the ranks that own them, an outline for each of the first other replicas
 * behind them, and the bounds of blocks. */
void svg_matrix_draw(const struct drawing *drawing, const struct svg_matrix *view, FILE *out);
/* Frames the rank's own tiles; false if it has none. */
bool svg_matrix_frame(const struct drawing *drawing, const struct svg_matrix *view, FILE *out);

#endif
