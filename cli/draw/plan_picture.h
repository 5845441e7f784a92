/* plan_picture.h - draws the picture of a plan, with the flags that make it. */
#ifndef CLI_DRAW_PLAN_PICTURE_H
#define CLI_DRAW_PLAN_PICTURE_H

#include "args/problem.h"

#include <stdio.h>

/* Draws the plan of the rank named by --rank as SVG. Reports errors. */
enum code plan_picture_draw(const struct problem *problem, const sct_plan *plan, FILE *out);

#endif
