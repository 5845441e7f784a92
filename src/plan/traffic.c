/* traffic.c - goes through the owners of what a plan moves; and the bytes between a rank and each
 * other one. */
#include "plan/traffic.h"

#include "base/status.h"

static void count(sct_traffic_counter *counter, const sct_operand *operand, sct_access access) {
    sct_owner_share share;
    sct_owners_begin(&counter->owners, operand);
    while (sct_owners_next(&counter->owners, &share))
        counter->count(counter->self, operand, access, &share);
}

void sct_traffic_count_fetch(sct_traffic_counter *counter, const sct_operand *operand) {
    count(counter, operand, SCT_ACCESS_FETCHED);
}

void sct_traffic_count_multiply(sct_traffic_counter *counter, const sct_task *task) {
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        if (task->operand[matrix].in_place)
            count(counter, &task->operand[matrix],
                  matrix == SCT_MAT_C && !task->fresh ? SCT_ACCESS_AGAIN : SCT_ACCESS_IN_PLACE);
    if (task->flush)
        count(counter, &task->operand[SCT_MAT_C], SCT_ACCESS_ADDED);
}

sct_status sct_traffic_count_end(sct_traffic_counter *counter, sct_status status) {
    return sct_owners_end(&counter->owners, status);
}

/* ---- The bytes between a rank and each other one ---- */

typedef struct sct_traffic_table {
    sct_traffic_counter traffic;
    int rank;
    uint64_t *read, *added; /* by rank */
} sct_traffic_table;

static void enter(void *self, const sct_operand *operand, sct_access access,
                  const sct_owner_share *share) {
    const sct_traffic_table *table = self;
    if (share->rank != table->rank && access != SCT_ACCESS_AGAIN)
        (operand->matrix == SCT_MAT_C ? table->added : table->read)[share->rank] += share->bytes;
}

static sct_status enter_fetch(void *self, const sct_operand *operand, int64_t slot) {
    sct_traffic_table *table = self;
    (void)slot;
    sct_traffic_count_fetch(&table->traffic, operand);
    return SCT_OK;
}

static sct_status enter_multiply(void *self, const sct_task *task) {
    sct_traffic_table *table = self;
    sct_traffic_count_multiply(&table->traffic, task);
    return SCT_OK;
}

sct_status sct_plan_traffic(const sct_plan *plan, uint64_t *read, uint64_t *added) {
    static const sct_actor actor = {.fetch = enter_fetch, .multiply = enter_multiply};
    sct_status status = sct_check_given("plan", plan);
    if (!status)
        status = sct_check_output("read", read);
    if (!status)
        status = sct_check_output("added", added);
    if (status)
        return status;
    sct_traffic_table table = {.rank = plan->rank, .read = read, .added = added};
    table.traffic.count = enter;
    table.traffic.self = &table;
    return sct_traffic_count_end(&table.traffic, sct_plan_walk(plan, &actor, &table));
}
