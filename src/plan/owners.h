/* owners.h - how much of an operand each of its owners has.
 *
 * Where blocks are small a slice is of many fragments, but of few owners, and these are a grid:
 * what each has is the product of what its two coordinates have. So lines, and what is within them,
 * are gone through by themselves, not every fragment. */
#ifndef SCT_PLAN_OWNERS_H
#define SCT_PLAN_OWNERS_H

#include "plan/operand.h"

/* What one cell has of an operand. */
typedef struct sct_owned {
    int rank;
    int64_t fragments;
    uint64_t bytes;
} sct_owned;

/* What one coordinate has of the spans of a dimension. */
typedef struct sct_held {
    int coord;
    int64_t spans, indices;
} sct_held;

/* The spans of a dimension by coordinate. */
typedef struct sct_census {
    const sct_span *of; /* those that were counted last; NULL if it was one alone */
    int count, base, room;
    sct_held *held; /* of coordinates that have any, in the order of the spans */
    int *place;     /* by coordinate, from the base on: where in `held`, plus one; 0: nowhere */
} sct_census;

/* How far someone has come, and what was counted; zeros to begin with. */
typedef struct sct_owners {
    sct_census lines[SCT_MATS], within[SCT_MATS];
    const sct_operand *operand;
    uint64_t element; /* bytes of each */
    int i, j;
    sct_status status;
} sct_owners;

/* Begins with an operand; a plan's spans must stay as they are while its owners are asked for. */
void sct_owners_begin(sct_owners *owners, const sct_operand *operand);
/* The next of its cells, each once, in the order in which fragments come to them. */
bool sct_owners_next(sct_owners *owners, sct_owned *owned);

/* Fails if there was no memory for the owners of an operand: then it seemed to have none. */
sct_status sct_owners_end(sct_owners *owners);

#endif
