/* plan_text.h - draws A, B and C, their owners and the slices that one rank uses, as text. */
#ifndef CLI_DRAW_PLAN_TEXT_H
#define CLI_DRAW_PLAN_TEXT_H

#include "args/problem.h"

/* Prints C with A to its left and B above it as the owners of their parts, with the parts that the
 * plan uses in brackets, and then the first steps in words. Reports errors. */
enum code plan_text_print(const struct problem *problem, const sct_plan *plan);

#endif
