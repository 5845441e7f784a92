/* candidates.h - the layouts that are worth looking at when layouts are chosen. */
#ifndef SCT_CHOOSE_CANDIDATES_H
#define SCT_CHOOSE_CANDIDATES_H

#include "plan/product.h"

typedef struct sct_candidates {
    int count;
    int64_t room;
    const sct_layout **layout;
} sct_candidates;

/* Holds the layout, unless it is among them. */
sct_status sct_candidates_add(sct_candidates *candidates, const sct_layout *layout);
void sct_candidates_clear(sct_candidates *candidates);

/* How many replicas there may be, and where. */
typedef enum sct_copies {
    SCT_COPIES_ONE,
    SCT_COPIES_MANY, /* as many as divide the ranks */
    SCT_COPIES_NEAR  /* so, too, with those of a block side by side, who may be on one node */
} sct_copies;

/* Blocks on all grids of the first `used` of the ranks. */
sct_status sct_candidates_grids(int64_t rows, int64_t cols, int used, int ranks, sct_copies allowed,
                                sct_candidates *candidates);
/* Layouts of a moving matrix that lie along the stationary one: what a rank has is of what it uses.
 * With as many replicas as can share it, or one. None if the classes of the stationary
 * matrix are not one block each. */
sct_status sct_candidates_along(const sct_product *product, int stay, int matrix, bool replicas,
                                sct_candidates *candidates);

#endif
