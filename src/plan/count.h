/* count.h - counts the bytes that a plan moves, in one way for all that count them.
 *
 * Whoever counts has an actor on the walk, and passes on what the actor is given. For each owner
 * of an operand the function `count` is then called once. */
#ifndef SCT_PLAN_COUNT_H
#define SCT_PLAN_COUNT_H

#include "plan/operand.h"
#include "plan/walk.h"

/* How an owner's share is used. */
typedef enum sct_access {
    SCT_ACCESS_FETCHED,  /* copied into a slot */
    SCT_ACCESS_IN_PLACE, /* read by a product, or written by it in C */
    SCT_ACCESS_AGAIN,    /* in C, written by a product of a sum that an earlier one began */
    SCT_ACCESS_ADDED     /* accumulated from a slot into C */
} sct_access;

typedef struct sct_traffic_counter {
    void (*count)(void *self, const sct_operand *operand, sct_access access,
                  const sct_owner_share *share);
    void *self;
    sct_owners owners;
} sct_traffic_counter;

void sct_traffic_count_fetch(sct_traffic_counter *counter, const sct_operand *operand);
void sct_traffic_count_multiply(sct_traffic_counter *counter, const sct_task *task);
/* Returns `status`; if that is SCT_OK, fails if something could not be counted. */
sct_status sct_traffic_count_end(sct_traffic_counter *counter, sct_status status);

#endif
