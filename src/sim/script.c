/* script.c - writes down what the walk of a plan says. */
#include "sim/script.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "plan/owners.h"
#include "plan/walk.h"

#include <stdlib.h>

/* Who writes, and how many entries each table has room for. */
typedef struct sct_scribe {
    const sct_plan *plan;
    const sct_machine *machine;
    sct_script *script;
    sct_owners owners;
    int64_t acts, fetches, stints, hauls;
    int64_t *place; /* by rank: its haul in the batch that is being written, or less */
    int64_t named;  /* fetches before it have their steps */
} sct_scribe;

static sct_status full(const sct_scribe *scribe) {
    return sct_fail(SCT_NO_MEMORY, "no memory for what rank %d does", scribe->plan->rank);
}

static sct_status add_act(sct_scribe *scribe, sct_act act) {
    sct_script *script = scribe->script;
    unsigned char *table = sct_memory_grow(script->act, script->acts, &scribe->acts, sizeof *table);
    if (!table)
        return full(scribe);
    script->act = table;
    table[script->acts++] = (unsigned char)act;
    return SCT_OK;
}

/* Adds bytes to the peer's haul in the batch, which is the last one. */
static sct_status add_haul(sct_scribe *scribe, sct_batch *batch, int peer, uint64_t bytes) {
    sct_script *script = scribe->script;
    int64_t known = scribe->place[peer];
    if (known >= batch->first && known < script->hauls && script->haul[known].peer == peer) {
        script->haul[known].bytes += bytes;
        return SCT_OK;
    }
    sct_haul *table = sct_memory_grow(script->haul, script->hauls, &scribe->hauls, sizeof *table);
    if (!table)
        return full(scribe);
    script->haul = table;
    table[script->hauls] = (sct_haul){bytes, peer};
    scribe->place[peer] = script->hauls++;
    batch->count++;
    return SCT_OK;
}

static sct_status add_operand(sct_scribe *scribe, const sct_operand *operand, sct_batch *batch) {
    *batch = (sct_batch){.first = scribe->script->hauls};
    sct_owner_share owned;
    sct_status status = SCT_OK;
    sct_owners_begin(&scribe->owners, operand);
    while (!status && sct_owners_next(&scribe->owners, &owned))
        status = add_haul(scribe, batch, owned.rank, owned.bytes);
    return status;
}

static sct_status write_fetch(void *self, const sct_operand *operand, int64_t slot) {
    sct_scribe *scribe = self;
    sct_script *script = scribe->script;
    sct_fetched *table =
        sct_memory_grow(script->fetch, script->fetches, &scribe->fetches, sizeof *table);
    if (!table)
        return full(scribe);
    script->fetch = table;
    sct_fetched *fetch = &table[script->fetches++];
    *fetch = (sct_fetched){.slot = slot, .step = -1, .matrix = operand->matrix};
    sct_status status = add_operand(scribe, operand, &fetch->hauls);
    return status ? status : add_act(scribe, SCT_ACT_FETCH);
}

/* A fetch is for the first step that uses its slot. */
static void name_fetches(sct_scribe *scribe, const sct_task *task) {
    const sct_script *script = scribe->script;
    for (int64_t i = scribe->named; i < script->fetches; i++) {
        sct_fetched *fetch = &script->fetch[i];
        if (fetch->step < 0 && fetch->slot == task->slot[fetch->matrix])
            fetch->step = task->step;
    }
    while (scribe->named < script->fetches && script->fetch[scribe->named].step >= 0)
        scribe->named++;
}

static double seconds_of(const sct_scribe *scribe, const sct_task *task) {
    int64_t size[SCT_DIMS];
    for (int dim = 0; dim < SCT_DIMS; dim++)
        size[dim] = task->piece[dim].indices.count;
    return sct_machine_multiply(scribe->machine, scribe->plan->product.type[SCT_MAT_A],
                                size[SCT_DIM_M], size[SCT_DIM_N], size[SCT_DIM_K]);
}

static sct_status write_multiply(void *self, const sct_task *task) {
    sct_scribe *scribe = self;
    sct_script *script = scribe->script;
    sct_stint *table =
        sct_memory_grow(script->stint, script->stints, &scribe->stints, sizeof *table);
    if (!table)
        return full(scribe);
    script->stint = table;
    sct_stint *stint = &table[script->stints++];
    *stint = (sct_stint){.seconds = seconds_of(scribe, task),
                         .step = task->step,
                         .slot = {task->slot[SCT_MAT_A], task->slot[SCT_MAT_B]},
                         .flush = task->flush};
    script->slices += task->flush;
    name_fetches(scribe, task);
    sct_status status =
        task->flush ? add_operand(scribe, &task->operand[SCT_MAT_C], &stint->result) : SCT_OK;
    return status ? status : add_act(scribe, SCT_ACT_MULTIPLY);
}

static sct_status write_retire(void *self, const sct_task *task) {
    (void)task;
    return add_act(self, SCT_ACT_RETIRE);
}

static sct_status write_settle(void *self) {
    return add_act(self, SCT_ACT_SETTLE);
}

static sct_status write_walk(sct_scribe *scribe) {
    static const sct_actor actor = {.fetch = write_fetch,
                                    .multiply = write_multiply,
                                    .retire = write_retire,
                                    .settle = write_settle};
    const sct_plan *plan = scribe->plan;
    const int64_t slots[2] = {plan->slots[SCT_MAT_A].count, plan->slots[SCT_MAT_B].count};
    sct_walker walker;
    sct_status status = sct_walker_create(plan, slots, &walker);
    if (status)
        return status;
    status = sct_walk(&walker, &actor, scribe);
    sct_walker_clear(&walker);
    return status;
}

/* The pulls of exec/replicas.c: the lines of this rank's share from every other replica, to be
 * added; or those of the others' shares, to be copied. */
static sct_status write_pulls(sct_scribe *scribe, bool adds, sct_batch *batch) {
    const sct_product *product = &scribe->plan->product;
    const sct_layout *c = product->layout[SCT_MAT_C];
    int rank = scribe->plan->rank, home = sct_layout_home(c, rank);
    sct_status status = SCT_OK;
    *batch = (sct_batch){.first = scribe->script->hauls};
    for (int block = 0; block < sct_layout_cells(c, rank); block++) {
        sct_part part = sct_layout_part(c, &product->view[SCT_MAT_C], rank, block);
        uint64_t line = (uint64_t)part.count * sct_type_bytes(product->type[SCT_MAT_C]);
        for (int i = 1; i < c->replicas && !status; i++) {
            int replica = (home + i) % c->replicas;
            int whose = adds ? home : replica;
            int64_t lines = sct_share(part.lines, c->replicas, whose + 1) -
                            sct_share(part.lines, c->replicas, whose);
            if (lines > 0 && line > 0)
                status = add_haul(scribe, batch, sct_layout_place(c, replica, part.cell).rank,
                                  (uint64_t)lines * line);
        }
    }
    return status;
}

static sct_status write_replicas(sct_scribe *scribe) {
    const sct_plan *plan = scribe->plan;
    const sct_layout *c = plan->product.layout[SCT_MAT_C];
    sct_result result = plan->options.result;
    if (result == SCT_RESULT_PARTIAL || plan->product.size[SCT_DIM_K] == 0)
        return SCT_OK;
    sct_status status = write_pulls(scribe, true, &scribe->script->add);
    bool copies = result == SCT_RESULT_ALL || sct_layout_home(c, plan->rank) == 0;
    return status || !copies ? status : write_pulls(scribe, false, &scribe->script->copy);
}

sct_status sct_script_create(const sct_plan *plan, const sct_machine *machine, sct_script *script) {
    const sct_options *options = &plan->options;
    sct_script made = {.slots = {plan->slots[SCT_MAT_A].count, plan->slots[SCT_MAT_B].count},
                       .accumulates = options->accumulates_in_flight,
                       .in_rounds = options->ordered && !plan->exclusive};
    sct_scribe scribe = {.plan = plan, .machine = machine, .script = &made};
    if (!(scribe.place = calloc((size_t)plan->product.ranks, sizeof *scribe.place)))
        return full(&scribe);
    sct_status status = write_walk(&scribe);
    if (!status)
        status = write_replicas(&scribe);
    sct_status counted = sct_owners_end(&scribe.owners);
    status = status ? status : counted;
    free(scribe.place);
    if (status)
        sct_script_clear(&made);
    else
        *script = made;
    return status;
}

void sct_script_clear(sct_script *script) {
    free(script->act);
    free(script->fetch);
    free(script->stint);
    free(script->haul);
    *script = (sct_script){.acts = 0};
}
