/* plan_svg.h - draws A, B and C, their owners and the slices that one rank uses, as SVG. */
#ifndef CLI_DRAW_PLAN_SVG_H
#define CLI_DRAW_PLAN_SVG_H

#include "args/problem.h"

#include <stdio.h>

/* Draws C with A to its left and B above it, as tiles in the colours of their owners. The rank's
 * part of the stationary matrix is framed; the slices that it uses of the others are hatched.
 * Reports errors. */
enum code plan_svg_draw(const struct problem *problem, const sct_plan *plan, FILE *out);

#endif
