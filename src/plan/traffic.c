/* traffic.c - the bytes that a plan moves between its rank and each other one. */
#include "plan/owners.h"
#include "plan/walk.h"

#include "base/status.h"

typedef struct sct_traffic_counter {
    const sct_plan *plan;
    sct_owners owners;
    uint64_t *read, *added; /* by rank */
} sct_traffic_counter;

static void count(sct_traffic_counter *counter, const sct_operand *operand, uint64_t *bytes) {
    sct_owner_share owned;
    sct_owners_begin(&counter->owners, operand);
    while (sct_owners_next(&counter->owners, &owned))
        if (owned.rank != counter->plan->rank)
            bytes[owned.rank] += owned.bytes;
}

static sct_status count_fetch(void *self, const sct_operand *operand, int64_t slot) {
    (void)slot;
    sct_traffic_counter *counter = self;
    count(counter, operand, counter->read);
    return SCT_OK;
}

static sct_status count_multiply(void *self, const sct_task *task) {
    sct_traffic_counter *counter = self;
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
        if (task->operand[matrix].in_place)
            count(counter, &task->operand[matrix], counter->read);
    const sct_operand *c = &task->operand[SCT_MAT_C];
    if (task->flush || (c->in_place && task->fresh))
        count(counter, c, counter->added);
    return SCT_OK;
}

sct_status sct_plan_traffic(const sct_plan *plan, uint64_t *read, uint64_t *added) {
    static const sct_actor actor = {.fetch = count_fetch, .multiply = count_multiply};
    sct_status status = sct_check_given("plan", plan);
    if (!status)
        status = sct_check_given("the place for bytes read", read);
    if (!status)
        status = sct_check_given("the place for bytes added", added);
    if (status)
        return status;
    sct_traffic_counter counter = {.plan = plan, .read = read, .added = added};
    return sct_owners_end(&counter.owners, sct_plan_walk(plan, &actor, &counter));
}
