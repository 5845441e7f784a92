/* groups.h - an order of a rank's steps that is written down: which are multiplied in each group,
 * and which slices are fetched there for later groups.
 *
 * Direct order has no agenda: it follows from the numbers of the steps. */
#ifndef SCT_PLAN_GROUPS_H
#define SCT_PLAN_GROUPS_H

#include <sectile/sectile.h>
#include <stdbool.h>

/* What is under way at once. */
typedef struct sct_group {
    int64_t prepare;    /* the operands of all steps before this position are brought here first */
    sct_range errands;  /* then these are begun */
    sct_range multiply; /* and then the steps at these positions are multiplied */
} sct_group;

/* A step of the order. */
typedef struct sct_turn {
    int64_t step; /* its number in direct order */
    bool fresh, flush;
} sct_turn;

/* A slice to fetch ahead: what the step at this position, the first that needs it, takes from a
 * matrix. */
typedef struct sct_errand {
    int64_t position;
    int matrix;
} sct_errand;

typedef struct sct_agenda {
    int64_t groups;
    sct_group *group;
    sct_turn *turn; /* by position */
    sct_errand *errand;
} sct_agenda;

/* The group in which the step at a position is multiplied. */
int64_t sct_agenda_group(const sct_agenda *agenda, int64_t position);
void sct_agenda_clear(sct_agenda *agenda);

#endif
