/* walk.h - goes through a plan's groups in order and says what to do when.
 *
 * Counting a plan, running it and simulating it are actors on one walk, so that what is announced
 * is what is done. For each step the actor is told to fetch each operand that is not in place and
 * not there already (for some steps ahead that lack one), to multiply, and, when room is needed or
 * all is done, to retire: only then are the step's slots given to others. With `sync` it is told at
 * the end of each group, when its steps are retired, to wait for all that still moves. Walking
 * allocates nothing that was not allocated for an earlier walk. */
#ifndef SCT_PLAN_WALK_H
#define SCT_PLAN_WALK_H

#include "plan/cache.h"
#include "plan/operand.h"

typedef struct sct_actor {
    sct_status (*fetch)(void *self, const sct_operand *operand, int64_t slot);
    sct_status (*multiply)(void *self, const sct_task *task);
    /* The slot of the next slice of C that has one; NULL, of those who do not care. */
    int64_t (*claim)(void *self);
    /* NULL, of those who never wait. */
    sct_status (*retire)(void *self, const sct_task *task);
    sct_status (*settle)(void *self);
} sct_actor;

typedef struct sct_walker {
    const sct_plan *plan;
    sct_cache cache[2]; /* of slices of A and of B */
    sct_task *task;     /* ring of those prepared and not retired */
    int64_t room;
    sct_readers readers; /* of the steps that are prepared */
    int64_t prepared, multiplied, retired;
    int64_t claimed; /* the slot of the slice of C that is being summed */
    int64_t led;     /* that of a sum that is to be gone on with */
    int64_t ahead; /* of the steps that are prepared but not begun, those that something is fetched
                      for */
} sct_walker;

/* slots: how many A and B have; 0: as many as they take. */
sct_status sct_walker_create(const sct_plan *plan, const int64_t slots[2], sct_walker *walker);
void sct_walker_clear(sct_walker *walker);
/* The task of a step that has been prepared and not yet retired. */
const sct_task *sct_walker_task(const sct_walker *walker, int64_t position);
sct_status sct_walk(sct_walker *walker, const sct_actor *actor, void *self);

#endif
