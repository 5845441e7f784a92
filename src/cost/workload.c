/* workload.c - the workload of a plan; and the time of a workload, if all ranks have the same. */
#include "cost/workload.h"

#include "base/checked.h"
#include "plan/count.h"

#include <math.h>

/* Seconds of the transfers of one level. Transfers that the rank makes itself run one by one. */
static double transfer_seconds(const sct_machine *machine, int level, int ranks,
                               const sct_level_traffic *traffic) {
    const sct_level *l = &machine->level[level];
    double shared = sct_level_rate(machine, level, ranks);
    double one = l->by_rank ? sct_smaller(l->pair, shared) : shared;
    double owner = sct_smaller(l->port, l->uplink);
    double got = traffic->got / one, added = traffic->added / (one * l->accumulate);
    double in = got + traffic->received / owner, out = added + traffic->served / owner;
    double busy = l->by_rank ? got + added : sct_larger(in, out);
    return busy + traffic->messages * l->latency / sct_machine_at_once(machine);
}

/* Seconds of the rank itself where it makes copies and additions: operands in place are read at
 * memory speed; contributions are stored in workspace and read again. */
static double seconds_by_rank(const sct_machine *machine, int level, int ranks,
                              const sct_level_traffic *traffic) {
    return transfer_seconds(machine, level, ranks, traffic) +
           (traffic->read + 2 * traffic->added) / machine->memory;
}

/* Seconds of the rank itself where hardware or other threads make transfers: operands in place are
 * read at link speed, each byte costs processor time at both ends, and accumulates slow products
 * down. */
static double seconds_beside(const sct_machine *machine, int level, int ranks,
                             const sct_level_traffic *traffic) {
    const sct_level *l = &machine->level[level];
    double shared = sct_level_rate(machine, level, ranks), own = traffic->got + traffic->added;
    return traffic->read / shared +
           (own + sct_larger(own, traffic->served + traffic->received)) * l->processor +
           machine->slowed * traffic->added / (shared * l->accumulate);
}

double sct_workload_bytes(const sct_machine *machine, const sct_workload *work) {
    double sum = 0;
    for (int level = 0; level < machine->levels; level++) {
        const sct_level_traffic *traffic = &work->traffic[level];
        sum += traffic->read + traffic->got + traffic->added;
    }
    return sum;
}

double sct_workload_seconds(const sct_machine *machine, int ranks, const sct_workload *work) {
    double computing = work->computing + 2 * work->copied / machine->memory, communication = 0;
    bool shared = false;
    for (int level = 0; level < machine->levels; level++) {
        const sct_level_traffic *traffic = &work->traffic[level];
        if (machine->level[level].by_rank) {
            computing += seconds_by_rank(machine, level, ranks, traffic);
            continue;
        }
        computing += seconds_beside(machine, level, ranks, traffic);
        communication = sct_larger(communication, transfer_seconds(machine, level, ranks, traffic));
        shared |= traffic->got + traffic->added > 0 && isfinite(machine->level[level].uplink);
    }
    double longer = sct_larger(computing, communication);
    double with_both =
        sct_larger(computing + work->alone, communication + computing / sct_larger(work->steps, 1));
    double exposed = isfinite(longer) ? with_both - longer : 0;
    /* Ranks that share an uplink do not take turns, so it is idle at times, and they wait at
     * others: about so much in the simulator. */
    return (shared ? hypot(computing, communication) : longer) + exposed;
}

/* ---- The workload of a plan ---- */

typedef struct sct_workload_counter {
    const sct_plan *plan;
    const sct_machine *machine;
    sct_traffic_counter traffic;
    sct_workload *work;
} sct_workload_counter;

static sct_level_traffic *traffic_with(const sct_workload_counter *counter, int rank) {
    return &counter->work->traffic[sct_level_between(counter->machine, counter->plan->product.ranks,
                                                     counter->plan->rank, rank)];
}

static void count(void *self, const sct_operand *operand, sct_access access,
                  const sct_owner_share *share) {
    const sct_workload_counter *counter = self;
    double bytes = (double)share->bytes;
    (void)operand;
    bool fetched = access == SCT_ACCESS_FETCHED, added = access == SCT_ACCESS_ADDED;
    if (share->rank == counter->plan->rank) {
        /* a sum is stored, then added */
        counter->work->copied += added ? 2 * bytes : fetched ? bytes : 0;
        return;
    }
    sct_level_traffic *traffic = traffic_with(counter, share->rank);
    *(fetched ? &traffic->got : added ? &traffic->added : &traffic->read) += bytes;
    traffic->messages += fetched || added ? (double)share->fragments : 0;
}

static sct_status count_fetch(void *self, const sct_operand *operand, int64_t slot) {
    sct_workload_counter *counter = self;
    (void)slot;
    sct_traffic_count_fetch(&counter->traffic, operand);
    return SCT_OK;
}

/* Seconds for an operand to come or go alone: of its farthest part. */
static double seconds_alone(sct_workload_counter *counter, const sct_operand *operand) {
    const sct_machine *machine = counter->machine;
    sct_owner_share owned;
    double seconds = 0;
    sct_owners_begin(&counter->traffic.owners, operand);
    while (!operand->in_place && sct_owners_next(&counter->traffic.owners, &owned))
        if (owned.rank != counter->plan->rank)
            seconds = sct_larger(
                seconds, (operand->matrix == SCT_MAT_C ? sct_machine_accumulate : sct_machine_copy)(
                             machine, counter->plan->rank, owned.rank, (double)owned.bytes));
    return seconds;
}

static void count_alone(sct_workload_counter *counter, const sct_task *task) {
    bool first = task->step == 0, last = task->step == counter->plan->steps - 1;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        if (matrix == SCT_MAT_C ? last : first)
            counter->work->alone += seconds_alone(counter, &task->operand[matrix]);
}

static sct_status count_multiply(void *self, const sct_task *task) {
    sct_workload_counter *counter = self;
    const sct_product *product = &counter->plan->product;
    count_alone(counter, task);
    counter->work->steps++;
    counter->work->computing += sct_machine_multiply(
        counter->machine, product->type[SCT_MAT_A], task->piece[SCT_DIM_M].indices.count,
        task->piece[SCT_DIM_N].indices.count, task->piece[SCT_DIM_K].indices.count);
    sct_traffic_count_multiply(&counter->traffic, task);
    return SCT_OK;
}

sct_status sct_workload_of_plan(const sct_plan *plan, const sct_machine *machine,
                                sct_workload *work) {
    static const sct_actor actor = {.fetch = count_fetch, .multiply = count_multiply};
    sct_workload found = {.computing = 0};
    sct_workload_counter counter = {.plan = plan, .machine = machine, .work = &found};
    counter.traffic.count = count;
    counter.traffic.self = &counter;
    sct_status status =
        sct_traffic_count_end(&counter.traffic, sct_plan_walk(plan, &actor, &counter));
    if (!status)
        *work = found;
    return status;
}
