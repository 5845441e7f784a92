/* count.c - counts the bytes that a plan moves, by owner and by other rank, and the workspace that
 * it takes, by walking it. */
#include "plan/count.h"

#include "base/checked.h"
#include "base/status.h"

enum { REDUCE_BUFFER = 1 << 20, ALIGNMENT = 64 };

static bool reaches(const sct_plan *plan, int matrix, int rank) {
    return sct_product_reaches(&plan->product, matrix, plan->rank, rank);
}

/* Counts bytes read from another rank: in place if near, else as got. */
static void count_read(sct_plan *plan, int rank, bool near, uint64_t bytes) {
    if (rank != plan->rank)
        *(near ? &plan->cost.bytes_in_place : &plan->cost.bytes_got) += bytes;
}

static void size_slot(sct_plan *plan, const sct_operand *operand) {
    sct_slots *slots = &plan->slots[operand->matrix];
    size_t bytes = sct_operand_bytes(operand, sct_operand_widest(&plan->product, operand));
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    slots->bytes = bytes > slots->bytes ? bytes : slots->bytes;
    slots->fragments = sct_max(slots->fragments, sct_operand_fragments(operand));
}

/* The actor that counts. */
typedef struct sct_counter {
    sct_plan *plan;
    sct_traffic_counter traffic;
    bool writes_local_only; /* all writes go to the local C, in place */
    int64_t local_begun;    /* elements of the local C that a first product writes */
    bool begins_only;       /* there are no other products */
} sct_counter;

static void count_share(void *self, const sct_operand *operand, sct_access access,
                        const sct_owner_share *share) {
    const sct_counter *counter = self;
    sct_plan *plan = counter->plan;
    bool own = share->rank == plan->rank, near = reaches(plan, operand->matrix, share->rank);
    if (access == SCT_ACCESS_ADDED)
        *(own ? &plan->cost.bytes_scattered : &plan->cost.bytes_accumulated) += share->bytes;
    else
        count_read(plan, share->rank, near, share->bytes);
    if (access == SCT_ACCESS_FETCHED && near)
        plan->cost.bytes_gathered += share->bytes;
}

static sct_status count_fetch(void *self, const sct_operand *operand, int64_t slot) {
    sct_counter *counter = self;
    (void)slot;
    sct_traffic_count_fetch(&counter->traffic, operand);
    size_slot(counter->plan, operand);
    return SCT_OK;
}

static void note_c_writes(sct_counter *counter, const sct_task *task) {
    const sct_operand *c = &task->operand[SCT_MAT_C];
    counter->writes_local_only &= c->in_place && sct_operand_first(c).rank == counter->plan->rank;
    counter->begins_only &= task->fresh;
    if (task->fresh)
        counter->local_begun += c->line_count * c->line_size;
}

/* True if the first products cover each element of the local C once, and no other rank adds to it.
 */
static bool covers_local_c(const sct_counter *counter) {
    const sct_plan *plan = counter->plan;
    return plan->steps > 0 && counter->writes_local_only &&
           counter->local_begun == sct_product_held(&plan->product, SCT_MAT_C, plan->rank);
}

static sct_status count_multiply(void *self, const sct_task *task) {
    sct_counter *counter = self;
    sct_plan *plan = counter->plan;
    double flops = sct_type_complex(plan->product.type[SCT_MAT_C]) ? 8 : 2;
    for (int dim = 0; dim < SCT_DIMS; dim++)
        flops *= (double)task->piece[dim].indices.count;
    plan->cost.flops += flops;
    plan->cost.steps++;
    sct_traffic_count_multiply(&counter->traffic, task);
    note_c_writes(counter, task);
    if (task->flush) {
        size_slot(plan, &task->operand[SCT_MAT_C]);
        plan->slices++;
    }
    return SCT_OK;
}

/* Counts the transfers by which replicas of C are summed (exec/copy.c): each replica reduces its
 * share of the lines, then copies the other shares. */
static void count_reduce(sct_plan *plan, int block, size_t most_buffer) {
    const sct_layout *c = plan->product.layout[SCT_MAT_C];
    sct_part part = sct_layout_part_in(c, &plan->product.view[SCT_MAT_C], plan->rank, block);
    int home = sct_layout_home(c, plan->rank);
    uint64_t line = (uint64_t)part.count * sct_type_bytes(plan->product.type[SCT_MAT_C]);
    bool fetches = plan->options.result == SCT_RESULT_ALL || home == 0;
    for (int replica = 0; replica < c->replicas; replica++) {
        if (replica == home)
            continue;
        int peer = sct_layout_place(c, replica, part.cell).rank;
        uint64_t summed = (uint64_t)sct_share_size(part.lines, c->replicas, home) * line;
        uint64_t other = (uint64_t)sct_share_size(part.lines, c->replicas, replica) * line;
        uint64_t bytes = summed + (fetches ? other : 0);
        bool near = reaches(plan, SCT_MAT_C, peer);
        count_read(plan, peer, near, bytes);
        plan->cost.bytes_reduced += bytes;
        size_t buffer = summed < most_buffer ? (size_t)summed : most_buffer;
        if (!near && buffer > plan->reduce_bytes)
            plan->reduce_bytes = buffer;
    }
}

static void count_replicas(sct_plan *plan, size_t most_buffer) {
    const sct_layout *c = plan->product.layout[SCT_MAT_C];
    plan->reduce_bytes = 0;
    if (plan->options.result == SCT_RESULT_PARTIAL || plan->product.size[SCT_DIM_K] == 0)
        return;
    for (int block = 0; block < sct_layout_cells(c, plan->rank); block++)
        count_reduce(plan, block, most_buffer);
}

static uint64_t workspace(const sct_plan *plan) {
    uint64_t sum = plan->sums_bytes + plan->reduce_bytes;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        sum += (uint64_t)plan->slots[matrix].count * plan->slots[matrix].bytes;
    return sum;
}

/* Walks the plan with this many slots for A and B (0: as many as needed) and a bounded buffer for
 * reducing replicas. Tells the slots it took. */
static sct_status count_with(sct_plan *plan, const int64_t slots[2], size_t most_buffer,
                             int64_t kept[2], int64_t pinned[2]) {
    static const sct_actor actor = {.fetch = count_fetch, .multiply = count_multiply};
    sct_walker walker;
    sct_status status = sct_walker_create(plan, slots, &walker);
    if (status)
        return status;
    plan->cost = (sct_cost){.steps = 0};
    plan->slices = 0;
    sct_counter counter = {.plan = plan, .writes_local_only = true, .begins_only = true};
    counter.traffic.count = count_share;
    counter.traffic.self = &counter;
    status = sct_traffic_count_end(&counter.traffic, sct_walk(&walker, &actor, &counter));
    plan->beta_in_product = covers_local_c(&counter);
    plan->once = plan->beta_in_product && counter.begins_only &&
                 plan->product.layout[SCT_MAT_C]->replicas == 1;
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++) {
        kept[matrix] = walker.cache[matrix].most_kept;
        pinned[matrix] = walker.cache[matrix].most_pinned;
        plan->slots[matrix].count = kept[matrix];
    }
    /* A slot of C is used again when its contribution has arrived. So no more are needed than
     * products and accumulates can be under way. */
    int under_way = plan->options.products_in_flight + plan->options.accumulates_in_flight;
    plan->slots[SCT_MAT_C].count = sct_min(plan->slices, under_way);
    sct_walker_clear(&walker);
    count_replicas(plan, most_buffer);
    plan->cost.workspace = workspace(plan);
    return status;
}

/* Distributes the limit beyond the minimum: first to the buffer, then to slots. */
static sct_status count_within(sct_plan *plan, uint64_t limit, int64_t kept[2], int64_t pinned[2]) {
    size_t wanted = plan->reduce_bytes;
    size_t element = sct_type_bytes(plan->product.type[SCT_MAT_C]);
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
        plan->slots[matrix].count = pinned[matrix];
    plan->reduce_bytes = wanted < element ? wanted : element;
    uint64_t least = workspace(plan);
    plan->cost.workspace = least;
    if (least > limit)
        return sct_fail(SCT_WORKSPACE, "a workspace of %llu bytes is too small by %llu bytes",
                        (unsigned long long)limit, (unsigned long long)(least - limit));
    uint64_t left = limit - least;
    size_t more_buffer = wanted - plan->reduce_bytes;
    more_buffer = left < more_buffer ? (size_t)left : more_buffer;
    left -= more_buffer;
    size_t most_buffer = element + more_buffer;
    int64_t slots[2];
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++) {
        size_t bytes = plan->slots[matrix].bytes;
        int64_t more = bytes ? sct_min((int64_t)(left / bytes), kept[matrix] - pinned[matrix]) : 0;
        slots[matrix] = pinned[matrix] + more;
        left -= (uint64_t)more * bytes;
    }
    return count_with(plan, slots, most_buffer, kept, pinned);
}

sct_status sct_plan_count(sct_plan *plan) {
    static const int64_t unlimited[2] = {0, 0};
    int64_t kept[2], pinned[2];
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        plan->slots[matrix] = (sct_slots){.count = 0};
    sct_status status = count_with(plan, unlimited, REDUCE_BUFFER, kept, pinned);
    plan->wanted = plan->cost.workspace;
    if (status || plan->wanted <= plan->limit)
        return status;
    return count_within(plan, plan->limit, kept, pinned);
}

/* ---- Traffic ---- */

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
