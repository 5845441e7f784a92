/* groups.h - an explicit order of a rank's steps: which steps each group multiplies, and which
 * slices it prefetches for later groups.
 *
 * Direct order needs no list: it follows from the numbers of the steps. */
#ifndef SCT_PLAN_GROUPS_H
#define SCT_PLAN_GROUPS_H

#include <sectile/sectile.h>
#include <stdbool.h>

/* What one group does, in this order. */
typedef struct sct_group {
    int64_t prepare_until; /* fetch the operands of all steps before this position */
    sct_range prefetches;  /* start these prefetches */
    sct_range multiply;    /* multiply the steps at these positions */
} sct_group;

typedef struct sct_ordered_step {
    int64_t step; /* number in direct order */
    bool fresh, flush;
} sct_ordered_step;

/* A slice to prefetch: operand `matrix` of the step at this position, the first that needs it. */
typedef struct sct_prefetch {
    int64_t position;
    int matrix;
} sct_prefetch;

typedef struct sct_group_list {
    int64_t count;
    sct_group *group;
    sct_ordered_step *ordered; /* by position */
    sct_prefetch *prefetch;
} sct_group_list;

#endif
