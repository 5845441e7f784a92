/* walk.h - goes through a plan's groups in order and calls an actor for each action.
 *
 * Whatever counts, estimates, runs or simulates a plan is an actor on the same walk, so that a
 * plan's announced bytes are those of its execution. For each step the actor is called to fetch the
 * operands that are neither in place nor in a slot (possibly ahead of time), to multiply, and, when
 * a slot is needed or all is done, to retire the step, which frees its slots. With `sync` it is
 * told at the end of each group to wait for everything in flight. A second walk allocates no
 * memory. */
#ifndef SCT_PLAN_WALK_H
#define SCT_PLAN_WALK_H

#include "plan/cache.h"
#include "plan/operand.h"

typedef struct sct_actor {
    sct_status (*fetch)(void *self, const sct_operand *operand, int64_t slot);
    sct_status (*multiply)(void *self, const sct_task *task);
    /* Returns a slot for the next slice of C in workspace; NULL if the actor does not care. */
    int64_t (*claim)(void *self);
    /* NULL if the actor never waits. */
    sct_status (*retire)(void *self, const sct_task *task);
    sct_status (*settle)(void *self);
} sct_actor;

typedef struct sct_walker {
    const sct_plan *plan;
    const sct_actor *actor; /* of this walk */
    void *self;
    sct_cache cache[2]; /* for A and B */
    sct_task *task;     /* ring buffer of the steps prepared and not retired */
    int64_t room;
    sct_readers readers; /* of the step prepared last */
    int64_t prepared, multiplied, retired;
    int64_t sum_slot;   /* slot of the current sum */
    int64_t prefetched; /* prepared steps that have not begun and fetch something */
} sct_walker;

/* slots: of A and B; 0: as many as needed. */
sct_status sct_walker_create(const sct_plan *plan, const int64_t slots[2], sct_walker *walker);
void sct_walker_clear(sct_walker *walker);
sct_status sct_walk(sct_walker *walker, const sct_actor *actor, void *self);
/* Walks once through a finished plan, with as many slots as the plan has. */
sct_status sct_plan_walk(const sct_plan *plan, const sct_actor *actor, void *self);

#endif
