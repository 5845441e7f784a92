/* plan_svg_steps.h - what the steps of a rank use of a matrix of a figure. */
#ifndef CLI_DRAW_PLAN_SVG_STEPS_H
#define CLI_DRAW_PLAN_SVG_STEPS_H

#include "draw/plan_svg_matrix.h"

/* Steps beyond the first so many are not marked, nor numbered. */
enum { USES_STEPS = 100000, USES_NUMBERED = 9 };

/* Hatches and parts what the steps use, with the number of the first step that does so, from 1, in
 * the slices of the first few. Says what is wrong if anything is. */
enum code uses_draw(const struct scene *scene, const struct panel *panel, FILE *out);

#endif
