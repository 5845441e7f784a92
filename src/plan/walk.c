/* walk.c - goes through a plan's groups, and keeps the window of steps in progress. */
#include "plan/walk.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>

/* The number of steps searched for remote operands to prefetch. */
enum { MAX_SEARCHED = 2 * SCT_MOST_AHEAD };

static int64_t steps_searched(const sct_plan *plan) {
    return plan->decisions.ahead ? MAX_SEARCHED : plan->options.prefetch;
}

sct_status sct_walker_create(const sct_plan *plan, const int64_t slots[2], sct_walker *walker) {
    *walker = (sct_walker){.plan = plan,
                           .room = 2 + steps_searched(plan) + plan->options.products_in_flight};
    sct_status status = sct_cache_create(slots[0], &walker->cache[0]);
    if (!status)
        status = sct_cache_create(slots[1], &walker->cache[1]);
    if (!status && !(walker->task = malloc((size_t)walker->room * sizeof *walker->task)))
        status =
            sct_fail(SCT_NO_MEMORY, "no memory for %lld steps under way", (long long)walker->room);
    if (status) {
        sct_walker_clear(walker);
        *walker = (sct_walker){.plan = plan}; /* can be cleared again */
    }
    return status;
}

void sct_walker_clear(sct_walker *walker) {
    sct_cache_clear(&walker->cache[0]);
    sct_cache_clear(&walker->cache[1]);
    free(walker->task);
}

/* Direct order: one product per group, and the operands of the step `prefetch` later. With the
 * default prefetch, prefetch_more finds the operands instead. */
static sct_step_group group_at(const sct_plan *plan, int64_t index) {
    if (plan->groups.group)
        return plan->groups.group[index];
    int64_t ahead = plan->decisions.ahead ? 0 : plan->options.prefetch;
    return (sct_step_group){.prepare_until = sct_min(index + ahead + 1, plan->steps),
                            .multiply = {index, index + 1}};
}

/* The task of a step that is prepared and not retired. */
static sct_task *walker_task(const sct_walker *walker, int64_t position) {
    return &walker->task[position % walker->room];
}

/* Fetches an operand, unless it is in place or in a slot already. One that the step does not need
 * now is fetched only if a slot is empty. */
static sct_status fetch_operand(sct_walker *walker, sct_task *task, int matrix, bool now) {
    const sct_operand *operand = &task->operand[matrix];
    bool missing = false;
    sct_status status = SCT_OK;
    if (operand->in_place)
        return SCT_OK;
    const sct_span first[2] = {operand->lines.first, operand->within.first};
    status =
        sct_cache_take(&walker->cache[matrix], first, sct_plan_uses(walker->plan, task, matrix),
                       now, &task->slot[matrix], &missing);
    task->fetches = task->fetches || missing;
    return status || !missing ? status
                              : walker->actor->fetch(walker->self, operand, task->slot[matrix]);
}

static sct_status prepare_until(sct_walker *walker, int64_t position) {
    sct_status status = SCT_OK;
    for (; walker->prepared < position && !status; walker->prepared++) {
        sct_task *task = walker_task(walker, walker->prepared);
        sct_plan_read(walker->plan, walker->prepared, &walker->readers, task);
        for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B && !status; matrix++)
            status = fetch_operand(walker, task, matrix, true);
        walker->prefetched += task->fetches;
    }
    return status;
}

/* Default prefetch, before a step begins: fetches for the next steps with remote operands, so that
 * these fetches overlap with the steps before them that need none. */
static sct_status prefetch_more(sct_walker *walker) {
    const sct_plan *plan = walker->plan;
    int64_t begins = walker->multiplied;
    if (!plan->decisions.ahead)
        return SCT_OK;
    int64_t end = sct_min(begins + 1 + steps_searched(plan), plan->steps);
    sct_status status = SCT_OK;
    walker->prefetched -= walker_task(walker, begins)->fetches;
    while (walker->prefetched < plan->decisions.ahead && walker->prepared < end && !status)
        status = prepare_until(walker, walker->prepared + 1);
    return status;
}

/* Prefetches without a free slot are skipped; the steps fetch those operands themselves. */
static sct_status run_prefetches(sct_walker *walker, sct_range prefetches) {
    sct_status status = SCT_OK;
    for (int64_t i = prefetches.lo; i < prefetches.hi && !status; i++) {
        sct_prefetch prefetch = walker->plan->groups.prefetch[i];
        sct_task task;
        sct_plan_task(walker->plan, prefetch.position, &task);
        status = fetch_operand(walker, &task, prefetch.matrix, false);
    }
    return status;
}

static sct_status multiply(sct_walker *walker, int64_t position) {
    const sct_actor *actor = walker->actor;
    sct_task *task = walker_task(walker, position);
    if (!task->operand[SCT_MAT_C].in_place) {
        if (task->fresh && actor->claim)
            walker->sum_slot = actor->claim(walker->self);
        task->slot[SCT_MAT_C] = walker->sum_slot;
    }
    walker->multiplied = position + 1;
    return actor->multiply(walker->self, task);
}

static sct_status retire_until(sct_walker *walker, int64_t position) {
    const sct_actor *actor = walker->actor;
    for (; walker->retired < position; walker->retired++) {
        const sct_task *task = walker_task(walker, walker->retired);
        sct_status status = actor->retire ? actor->retire(walker->self, task) : SCT_OK;
        if (status)
            return status;
        for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
            if (task->slot[matrix] >= 0)
                sct_cache_drop(&walker->cache[matrix], task->slot[matrix]);
    }
    return SCT_OK;
}

static sct_status do_group(sct_walker *walker, sct_step_group group) {
    const sct_options *options = &walker->plan->options;
    const sct_actor *actor = walker->actor;
    int64_t leaves = 1 - options->products_in_flight; /* so that one more product may start */
    sct_status status = retire_until(walker, group.multiply.lo + leaves);
    if (!status)
        status = prepare_until(walker, group.prepare_until);
    if (!status)
        status = prefetch_more(walker);
    if (!status)
        status = run_prefetches(walker, group.prefetches);
    for (int64_t t = group.multiply.lo; t < group.multiply.hi && !status; t++) {
        status = retire_until(walker, t + leaves);
        if (!status)
            status = prepare_until(walker, t + 1);
        if (!status)
            status = multiply(walker, t);
    }
    if (!status && options->sync)
        status = retire_until(walker, walker->multiplied);
    return status || !options->sync || !actor->settle ? status : actor->settle(walker->self);
}

sct_status sct_walk(sct_walker *walker, const sct_actor *actor, void *self) {
    const sct_plan *plan = walker->plan;
    walker->actor = actor;
    walker->self = self;
    sct_cache_reset(&walker->cache[0]);
    sct_cache_reset(&walker->cache[1]);
    walker->prepared = walker->multiplied = walker->retired = walker->sum_slot =
        walker->prefetched = 0;
    int64_t groups = plan->groups.group ? plan->groups.count : plan->steps;
    sct_status status = SCT_OK;
    for (int64_t index = 0; index < groups && !status; index++)
        status = do_group(walker, group_at(plan, index));
    return status ? status : retire_until(walker, walker->multiplied);
}

sct_status sct_plan_walk(const sct_plan *plan, const sct_actor *actor, void *self) {
    const int64_t slots[] = {plan->slots[SCT_MAT_A].count, plan->slots[SCT_MAT_B].count};
    sct_walker walker;
    sct_status status = sct_walker_create(plan, slots, &walker);
    if (!status)
        status = sct_walk(&walker, actor, self);
    sct_walker_clear(&walker);
    return status;
}
