/* candidates.h - candidate layouts for the search. */
#ifndef SCT_CHOOSE_CANDIDATES_H
#define SCT_CHOOSE_CANDIDATES_H

#include "plan/work.h"

typedef struct sct_candidates {
    int count;
    int64_t room;
    const sct_layout **layout;
} sct_candidates;

/* Adds the layout, unless it is among the candidates already. */
sct_status sct_candidates_add(sct_candidates *candidates, const sct_layout *layout);
void sct_candidates_clear(sct_candidates *candidates);

/* The replication allowed. */
typedef enum sct_copies {
    SCT_COPIES_ONE,
    SCT_COPIES_MANY, /* any number that divides the ranks */
    SCT_COPIES_NEAR, /* likewise, also with the replicas of a block on consecutive ranks, which may
                      * share a node */
    SCT_COPIES_ANY_NEAR /* likewise, also with the blocks of a column on consecutive ranks */
} sct_copies;

/* Adds one block per rank for all grids of the first `used` ranks. */
sct_status sct_candidates_grids(int64_t rows, int64_t cols, int used, int ranks, sct_copies allowed,
                                sct_candidates *candidates);
/* Adds layouts of a matrix that are aligned with a work layout: a rank stores a share of the block
 * that it uses. They have one replica; if `replicas` is true, also each number of replicas that
 * divides the number of ranks that use a block. Where the work is dealt in turn, so is the matrix,
 * in the same blocks. Adds none if the work layout has an owner for each tile, or if along a common
 * dimension it has chosen cuts with several blocks per coordinate, or not in order. */
sct_status sct_candidates_along(const sct_product *product, const sct_work_layout *work, int matrix,
                                bool replicas, sct_candidates *candidates);

#endif
