/* plan_text.h - draws how A, B and C meet on a rank. */
#ifndef CLI_DRAW_PLAN_TEXT_H
#define CLI_DRAW_PLAN_TEXT_H

#include "args/problem.h"

/* Prints C with A at its left and B above it, each as the owners of its parts, with the parts that
 * the plan uses in brackets; then the first steps in words. */
enum code picture_print(const struct problem *problem, const sct_plan *plan);

#endif
