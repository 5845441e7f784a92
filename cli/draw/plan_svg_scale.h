/* plan_svg_scale.h - how long m, n and k are drawn in a figure. */
#ifndef CLI_DRAW_PLAN_SVG_SCALE_H
#define CLI_DRAW_PLAN_SVG_SCALE_H

#include "draw/plan_svg_matrix.h"

struct spread {
    int length[DIMS];   /* in pixels */
    double times[DIMS]; /* as long as it would be in the scale of the others, at least 1 */
};

/* In one scale, but for what has to be longer: so that the blocks of A, B and C, which are cut,
 * have room for the numbers of their owners. */
void spread_find(const int64_t size[DIMS], const struct panel panel[MATRICES],
                 struct spread *spread);

#endif
