/* walk.c - execution as a sequence of groups, and the window of steps under way. */
#include "plan/walk.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>

/* So many steps, at most, are gone through for some that lack something. */
enum { LOOK_AHEAD = 64 };

static int64_t look_ahead(const sct_plan *plan) {
    return plan->fetches_ahead ? LOOK_AHEAD : plan->options.prefetch;
}

sct_status sct_walker_create(const sct_plan *plan, const int64_t slots[2], sct_walker *walker) {
    *walker =
        (sct_walker){.plan = plan, .room = 2 + look_ahead(plan) + plan->options.products_in_flight};
    sct_status status = sct_cache_create(slots[0], &walker->cache[0]);
    if (!status)
        status = sct_cache_create(slots[1], &walker->cache[1]);
    if (!status && !(walker->task = malloc((size_t)walker->room * sizeof *walker->task)))
        status =
            sct_fail(SCT_NO_MEMORY, "no memory for %lld steps under way", (long long)walker->room);
    if (status) {
        sct_walker_clear(walker);
        *walker = (sct_walker){.plan = plan}; /* which can be cleared again */
    }
    return status;
}

void sct_walker_clear(sct_walker *walker) {
    sct_cache_clear(&walker->cache[0]);
    sct_cache_clear(&walker->cache[1]);
    free(walker->task);
}

static int64_t groups_of(const sct_plan *plan) {
    return plan->agenda.group ? plan->agenda.groups : plan->steps;
}

/* Direct order: one product to a group, and what the step `prefetch` later needs, unless it is seen
 * on the way what lacks anything. */
static sct_group group_at(const sct_plan *plan, int64_t index) {
    if (plan->agenda.group)
        return plan->agenda.group[index];
    int64_t ahead = plan->fetches_ahead ? 0 : plan->options.prefetch;
    return (sct_group){.prepare = sct_min(index + ahead + 1, plan->steps),
                       .multiply = {index, index + 1}};
}

static sct_task *task_at(sct_walker *walker, int64_t position) {
    return &walker->task[position % walker->room];
}

const sct_task *sct_walker_task(const sct_walker *walker, int64_t position) {
    return &walker->task[position % walker->room];
}

/* A cache asked for a slot: for a step that needs it now, or for one to come. */
typedef sct_status asked(sct_cache *cache, const sct_span first[2], int64_t uses, int64_t *slot,
                         bool *fetch);

/* Has an operand fetched if it is missing, and there is a slot for it. */
static sct_status bring(sct_walker *walker, sct_task *task, int matrix, asked *ask,
                        const sct_actor *actor, void *self) {
    const sct_operand *operand = &task->operand[matrix];
    bool missing = false;
    sct_status status = SCT_OK;
    if (operand->in_place)
        return SCT_OK;
    const sct_span first[2] = {operand->lines.first, operand->within.first};
    status = ask(&walker->cache[matrix], first, sct_plan_uses(walker->plan, task, matrix),
                 &task->slot[matrix], &missing);
    task->fetches = task->fetches || missing;
    return status || !missing ? status : actor->fetch(self, operand, task->slot[matrix]);
}

static sct_status prepare_until(sct_walker *walker, int64_t position, const sct_actor *actor,
                                void *self) {
    sct_status status = SCT_OK;
    for (; walker->prepared < position && !status; walker->prepared++) {
        sct_task *task = task_at(walker, walker->prepared);
        sct_plan_read(walker->plan, walker->prepared, &walker->readers, task);
        for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B && !status; matrix++)
            status = bring(walker, task, matrix, sct_cache_take, actor, self);
        walker->ahead += task->fetches;
    }
    return status;
}

/* When a step is about to begin: what is fetched for the next ones that lack something travels
 * beside those before them that lack nothing. */
static sct_status prepare_more(sct_walker *walker, const sct_actor *actor, void *self) {
    const sct_plan *plan = walker->plan;
    int64_t begins = walker->multiplied;
    if (!plan->fetches_ahead)
        return SCT_OK;
    int64_t end = sct_min(begins + 1 + look_ahead(plan), plan->steps);
    sct_status status = SCT_OK;
    walker->ahead -= task_at(walker, begins)->fetches;
    while (walker->ahead < plan->fetches_ahead && walker->prepared < end && !status)
        status = prepare_until(walker, walker->prepared + 1, actor, self);
    return status;
}

/* What finds no room is left to the steps that need it. */
static sct_status run_errands(sct_walker *walker, sct_range errands, const sct_actor *actor,
                              void *self) {
    sct_status status = SCT_OK;
    for (int64_t i = errands.lo; i < errands.hi && !status; i++) {
        sct_errand errand = walker->plan->agenda.errand[i];
        sct_task task;
        sct_plan_task(walker->plan, errand.position, &task);
        status = bring(walker, &task, errand.matrix, sct_cache_offer, actor, self);
    }
    return status;
}

static sct_status multiply(sct_walker *walker, int64_t position, const sct_actor *actor,
                           void *self) {
    sct_task *task = task_at(walker, position);
    if (!task->operand[SCT_MAT_C].in_place) {
        if (task->fresh && actor->claim)
            walker->claimed = actor->claim(self);
        if (task->leads)
            walker->led = walker->claimed;
        if (task->resumes)
            walker->claimed = walker->led;
        task->slot[SCT_MAT_C] = walker->claimed;
    }
    walker->multiplied = position + 1;
    return actor->multiply(self, task);
}

static sct_status retire_until(sct_walker *walker, int64_t position, const sct_actor *actor,
                               void *self) {
    for (; walker->retired < position; walker->retired++) {
        const sct_task *task = task_at(walker, walker->retired);
        sct_status status = actor->retire ? actor->retire(self, task) : SCT_OK;
        if (status)
            return status;
        for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
            if (task->slot[matrix] >= 0)
                sct_cache_drop(&walker->cache[matrix], task->slot[matrix]);
    }
    return SCT_OK;
}

static sct_status do_group(sct_walker *walker, sct_group group, const sct_actor *actor,
                           void *self) {
    const sct_options *options = &walker->plan->options;
    int64_t leaves = 1 - options->products_in_flight; /* room for one more product */
    sct_status status = retire_until(walker, group.multiply.lo + leaves, actor, self);
    if (!status)
        status = prepare_until(walker, group.prepare, actor, self);
    if (!status)
        status = prepare_more(walker, actor, self);
    if (!status)
        status = run_errands(walker, group.errands, actor, self);
    for (int64_t t = group.multiply.lo; t < group.multiply.hi && !status; t++) {
        status = retire_until(walker, t + leaves, actor, self);
        if (!status)
            status = prepare_until(walker, t + 1, actor, self);
        if (!status)
            status = multiply(walker, t, actor, self);
    }
    if (!status && options->sync)
        status = retire_until(walker, walker->multiplied, actor, self);
    return status || !options->sync || !actor->settle ? status : actor->settle(self);
}

sct_status sct_walk(sct_walker *walker, const sct_actor *actor, void *self) {
    sct_cache_reset(&walker->cache[0]);
    sct_cache_reset(&walker->cache[1]);
    walker->prepared = walker->multiplied = walker->retired = walker->claimed = walker->ahead = 0;
    int64_t groups = groups_of(walker->plan);
    sct_status status = SCT_OK;
    for (int64_t index = 0; index < groups && !status; index++)
        status = do_group(walker, group_at(walker->plan, index), actor, self);
    return status ? status : retire_until(walker, walker->multiplied, actor, self);
}
