/* plan_picture.h - draws the picture of a plan: as SVG, with the flags that make it, or as text. */
#ifndef CLI_DRAW_PLAN_PICTURE_H
#define CLI_DRAW_PLAN_PICTURE_H

#include "args/problem.h"

#include <stdio.h>

/* Draws the plan of the rank named by --rank as SVG. Reports errors. */
enum code plan_picture_draw(const struct problem *problem, const sct_plan *plan, FILE *out);

/* Prints C with A to its left and B above it as the owners of their parts, with the parts that the
 * plan uses in brackets, and then the first steps in words. Reports errors. */
enum code plan_text_print(const struct problem *problem, const sct_plan *plan);

#endif
