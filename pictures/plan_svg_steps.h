/* plan_svg_steps.h - hatches the slices of a matrix that the steps of a rank use. */
#ifndef PICTURES_PLAN_SVG_STEPS_H
#define PICTURES_PLAN_SVG_STEPS_H

#include "pictures/plan_svg_matrix.h"

/* Only the first MARKED_STEPS steps are marked, and the first NUMBERED_STEPS numbered. */
enum { MARKED_STEPS = 100000, NUMBERED_STEPS = 9 };

/* Hatches and outlines the slices that the steps use. The slices of the first few steps carry the
 * number of the first step that uses them. Reports errors. */
sct_status svg_steps_draw(const struct drawing *drawing, const struct svg_matrix *view, FILE *out);

#endif
