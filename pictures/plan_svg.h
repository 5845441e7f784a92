/* plan_svg.h - draws A, B and C, their owners and the slices that one rank uses, as SVG. */
#ifndef PICTURES_PLAN_SVG_H
#define PICTURES_PLAN_SVG_H

#include "pictures/text_lines.h"

#include <sectile/sectile.h>
#include <stdio.h>

/* Draws C with A to its left and B above it, as tiles in the colours of their owners. The rank's
 * part of the stationary matrix is framed; the slices that it uses of the others are hatched. Where
 * none is stationary, those of all are, and the cuts of the work layout are drawn.
 * `command` says below the heading how to make the picture. SCT_NO_MEMORY comes without a reason.
 */
sct_status plan_svg_draw(const sct_problem *problem, const sct_plan *plan, int rank,
                         const struct text_lines *command, FILE *out);

#endif
