/* script.c - records what a plan's walk does. */
#include "sim/script.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "plan/operand.h"
#include "plan/walk.h"

#include <stdlib.h>

/* The recording actor. */
typedef struct sct_script_writer {
    const sct_plan *plan;
    const sct_machine *machine;
    sct_script *script;
    sct_owners owners;
    int64_t acts, fetches, products, transfers; /* capacity of the script's tables */
    int64_t *place; /* by rank: index of its transfer in the current batch, if it has one */
    int64_t named;  /* fetches before it have their steps */
} sct_script_writer;

static sct_status full(const sct_script_writer *writer) {
    return sct_fail(SCT_NO_MEMORY, "no memory for what rank %d does", writer->plan->rank);
}

static sct_status add_act(sct_script_writer *writer, sct_act act) {
    sct_script *script = writer->script;
    unsigned char *table = sct_memory_grow(script->act, script->acts, &writer->acts, sizeof *table);
    if (!table)
        return full(writer);
    script->act = table;
    table[script->acts++] = (unsigned char)act;
    return SCT_OK;
}

/* Adds bytes to the peer's transfer in the last batch; makes one if there is none yet. */
static sct_status add_bytes(sct_script_writer *writer, sct_batch *batch, int peer, uint64_t bytes) {
    sct_script *script = writer->script;
    int64_t known = writer->place[peer]; /* a guess, as scratch may have any values */
    if (known >= batch->first && known < script->transfers &&
        script->transfer[known].peer == peer) {
        script->transfer[known].bytes += bytes;
        return SCT_OK;
    }
    sct_script_transfer *table =
        sct_memory_grow(script->transfer, script->transfers, &writer->transfers, sizeof *table);
    if (!table)
        return full(writer);
    script->transfer = table;
    table[script->transfers] = (sct_script_transfer){bytes, peer};
    writer->place[peer] = script->transfers++;
    batch->count++;
    return SCT_OK;
}

static sct_status add_operand(sct_script_writer *writer, const sct_operand *operand,
                              sct_batch *batch) {
    *batch = (sct_batch){.first = writer->script->transfers};
    sct_owner_share owned;
    sct_status status = SCT_OK;
    sct_owners_begin(&writer->owners, operand);
    while (!status && sct_owners_next(&writer->owners, &owned))
        status = add_bytes(writer, batch, owned.rank, owned.bytes);
    return status;
}

static sct_status write_fetch(void *self, const sct_operand *operand, int64_t slot) {
    sct_script_writer *writer = self;
    sct_script *script = writer->script;
    sct_script_fetch *table =
        sct_memory_grow(script->fetch, script->fetches, &writer->fetches, sizeof *table);
    if (!table)
        return full(writer);
    script->fetch = table;
    sct_script_fetch *fetch = &table[script->fetches++];
    *fetch = (sct_script_fetch){.slot = slot, .step = -1, .matrix = operand->matrix};
    sct_status status = add_operand(writer, operand, &fetch->transfers);
    return status ? status : add_act(writer, SCT_ACT_FETCH);
}

/* Gives each fetch the first step that uses its slot. */
static void name_fetches(sct_script_writer *writer, const sct_task *task) {
    const sct_script *script = writer->script;
    for (int64_t i = writer->named; i < script->fetches; i++) {
        sct_script_fetch *fetch = &script->fetch[i];
        if (fetch->step < 0 && fetch->slot == task->slot[fetch->matrix])
            fetch->step = task->step;
    }
    while (writer->named < script->fetches && script->fetch[writer->named].step >= 0)
        writer->named++;
}

static double seconds_of(const sct_script_writer *writer, const sct_task *task) {
    return sct_machine_multiply(writer->machine, writer->plan->product.type[SCT_MAT_A],
                                task->piece[SCT_DIM_M].indices.count,
                                task->piece[SCT_DIM_N].indices.count,
                                task->piece[SCT_DIM_K].indices.count);
}

static sct_status write_multiply(void *self, const sct_task *task) {
    sct_script_writer *writer = self;
    sct_script *script = writer->script;
    sct_script_product *table =
        sct_memory_grow(script->product, script->products, &writer->products, sizeof *table);
    if (!table)
        return full(writer);
    script->product = table;
    sct_script_product *product = &table[script->products++];
    *product = (sct_script_product){.seconds = seconds_of(writer, task),
                                    .step = task->step,
                                    .slot = {task->slot[SCT_MAT_A], task->slot[SCT_MAT_B]},
                                    .flush = task->flush};
    script->slices += task->flush;
    name_fetches(writer, task);
    sct_status status =
        task->flush ? add_operand(writer, &task->operand[SCT_MAT_C], &product->result) : SCT_OK;
    return status ? status : add_act(writer, SCT_ACT_MULTIPLY);
}

static sct_status write_retire(void *self, const sct_task *task) {
    (void)task;
    return add_act(self, SCT_ACT_RETIRE);
}

static sct_status write_settle(void *self) {
    return add_act(self, SCT_ACT_SETTLE);
}

static sct_status write_walk(sct_script_writer *writer) {
    static const sct_actor actor = {.fetch = write_fetch,
                                    .multiply = write_multiply,
                                    .retire = write_retire,
                                    .settle = write_settle};
    return sct_plan_walk(writer->plan, &actor, writer);
}

/* The transfers of exec/copy.c: this rank's share of the lines from every other replica, to be
 * added; or the other shares, to be copied. */
static sct_status write_pulls(sct_script_writer *writer, bool adds, sct_batch *batch) {
    const sct_product *product = &writer->plan->product;
    const sct_layout *c = product->layout[SCT_MAT_C];
    int rank = writer->plan->rank, home = sct_layout_home(c, rank);
    sct_status status = SCT_OK;
    *batch = (sct_batch){.first = writer->script->transfers};
    for (int block = 0; block < sct_layout_cells(c, rank); block++) {
        sct_part part = sct_layout_part_in(c, &product->view[SCT_MAT_C], rank, block);
        uint64_t line = (uint64_t)part.count * sct_type_bytes(product->type[SCT_MAT_C]);
        for (int i = 1; i < c->replicas && !status; i++) {
            int replica = (home + i) % c->replicas;
            int whose = adds ? home : replica;
            int64_t lines = sct_share_size(part.lines, c->replicas, whose);
            if (lines > 0 && line > 0)
                status = add_bytes(writer, batch, sct_layout_place(c, replica, part.cell).rank,
                                   (uint64_t)lines * line);
        }
    }
    return status;
}

static sct_status write_replicas(sct_script_writer *writer) {
    const sct_plan *plan = writer->plan;
    const sct_layout *c = plan->product.layout[SCT_MAT_C];
    sct_result result = plan->options.result;
    if (result == SCT_RESULT_PARTIAL || plan->product.size[SCT_DIM_K] == 0)
        return SCT_OK;
    sct_status status = write_pulls(writer, true, &writer->script->add);
    bool copies = result == SCT_RESULT_ALL || sct_layout_home(c, plan->rank) == 0;
    return status || !copies ? status : write_pulls(writer, false, &writer->script->copy);
}

sct_status sct_script_create(const sct_plan *plan, const sct_machine *machine, int64_t *place,
                             sct_script *script) {
    const sct_options *options = &plan->options;
    sct_script made = {.slots = {plan->slots[SCT_MAT_A].count, plan->slots[SCT_MAT_B].count},
                       .accumulates = options->accumulates_in_flight,
                       .in_rounds = options->ordered && !plan->exclusive};
    sct_script_writer writer = {.plan = plan, .machine = machine, .script = &made, .place = place};
    sct_status status = write_walk(&writer);
    if (!status)
        status = write_replicas(&writer);
    status = sct_owners_end(&writer.owners, status);
    if (status)
        sct_script_clear(&made);
    else
        *script = made;
    return status;
}

void sct_script_clear(sct_script *script) {
    free(script->act);
    free(script->fetch);
    free(script->product);
    free(script->transfer);
    *script = (sct_script){.acts = 0};
}
