/* spread.h - how long m, n and k are drawn in a figure. */
#ifndef CLI_SPREAD_H
#define CLI_SPREAD_H

#include "panel.h"

struct spread {
    int length[DIMS];   /* in pixels */
    double times[DIMS]; /* as long as it would be in the scale of the others, at least 1 */
};

/* In one scale, but for what has to be longer: so that the blocks of A, B and C, which are cut,
 * have room for the numbers of their owners. */
void spread_find(const int64_t size[DIMS], const struct panel panel[MATRICES],
                 struct spread *spread);

#endif
