/* plan_svg_work.h - draws the grid that a work layout cuts the work into, and the part of a rank.
 */
#ifndef PICTURES_PLAN_SVG_WORK_H
#define PICTURES_PLAN_SVG_WORK_H

#include "pictures/plan_svg_matrix.h"

/* Draws the cuts of the plan's work layout over the matrix whose shape it has: of the rows, and of
 * the columns, unless there are too many, or only a sample of the matrix is drawn. If both are
 * drawn, frames the part of the work that is the rank's, and returns whether it has one. */
bool svg_work_draw(const struct drawing *drawing, const struct svg_matrix *view, FILE *out);

#endif
