/* plan_svg.h - draws how A, B and C meet on a rank, as SVG. */
#ifndef CLI_DRAW_PLAN_SVG_H
#define CLI_DRAW_PLAN_SVG_H

#include "args/problem.h"

#include <stdio.h>

/* C with A at its left and B above it, each as tiles in the colours of their owners; the rank's
 * part of what stays is framed, and the slices that the plan uses of the others are hatched. Says
 * what is wrong if anything is. */
enum code figure_draw(const struct problem *problem, const sct_plan *plan, FILE *out);

#endif
