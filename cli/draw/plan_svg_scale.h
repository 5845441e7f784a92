/* plan_svg_scale.h - the lengths of m, n and k in a plan picture. */
#ifndef CLI_DRAW_PLAN_SVG_SCALE_H
#define CLI_DRAW_PLAN_SVG_SCALE_H

#include "draw/plan_svg_matrix.h"

struct svg_scale {
    int length[DIMS];   /* pixels */
    double times[DIMS]; /* by how much the dimension is stretched beyond the common scale; at least
                         * 1 */
};

/* All dimensions have one scale, except those that must be longer to leave room for the owners'
 * numbers in their blocks. */
void svg_scale_find(const int64_t size[DIMS], const struct svg_matrix view[MATRICES],
                    struct svg_scale *scale);

#endif
