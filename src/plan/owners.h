/* owners.h - how much of an operand each owner has.
 *
 * With small blocks a slice has many fragments but few owners, which form a grid: the share of each
 * is the product of the shares of its two coordinates. So lines and elements within lines are
 * counted separately, instead of every fragment. */
#ifndef SCT_PLAN_OWNERS_H
#define SCT_PLAN_OWNERS_H

#include "plan/operand.h"

/* The share of one cell in an operand. */
typedef struct sct_owner_share {
    int rank;
    int64_t fragments;
    uint64_t bytes;
} sct_owner_share;

/* The share of one coordinate in the spans of a dimension. */
typedef struct sct_coord_share {
    int coord;
    int64_t spans, indices;
} sct_coord_share;

/* The shares of all coordinates in a dimension. */
typedef struct sct_coord_shares {
    const sct_span *of; /* the spans counted last; NULL if there was a single one */
    int count, base, room;
    sct_coord_share *share; /* of coordinates with a share, in the order of the spans */
    int *place;             /* by coordinate minus base: index in `share` plus one; 0: none */
} sct_coord_shares;

/* An iteration over the owners of operands. Starts as zeros. */
typedef struct sct_owners {
    sct_coord_shares lines[SCT_MATS], within[SCT_MATS];
    const sct_operand *operand;
    uint64_t element; /* bytes per element */
    int i, j;
    sct_status status;
} sct_owners;

/* Starts with an operand. Counts are reused between operands with the same spans, so the plan must
 * not change meanwhile. */
void sct_owners_begin(sct_owners *owners, const sct_operand *operand);
/* The next cell of the operand, each once, in order of its first fragment. */
bool sct_owners_next(sct_owners *owners, sct_owner_share *owned);

/* Returns `status`; if that is SCT_OK, fails if an operand's owners could not be counted for lack
 * of memory; it then had none. */
sct_status sct_owners_end(sct_owners *owners, sct_status status);

#endif
