/* script.c - writes down what the walk of a plan says. */
#include "sim/script.h"

#include "base/checked.h"
#include "base/status.h"
#include "plan/walk.h"

#include <stdlib.h>

/* Who writes, and how many entries each table has room for. */
typedef struct sct_writer {
    const sct_plan *plan;
    const sct_machine *machine;
    sct_script *script;
    int64_t acts, fetches, works, loads;
    int64_t *place; /* by rank: its load in the batch that is being written, or less */
    int64_t named;  /* fetches before it have their steps */
} sct_writer;

/* Room for one more; NULL, and the table stays as it is, if there is no memory. */
static void *more(void *table, int64_t count, int64_t *room, size_t bytes) {
    if (count < *room)
        return table;
    int64_t wanted = 2 * *room + 16;
    void *grown = realloc(table, (size_t)wanted * bytes);
    if (grown)
        *room = wanted;
    return grown;
}

static sct_status full(const sct_writer *writer) {
    return sct_fail(SCT_NO_MEMORY, "no memory for what rank %d does", writer->plan->rank);
}

static sct_status add_act(sct_writer *writer, sct_act act) {
    sct_script *script = writer->script;
    unsigned char *table = more(script->act, script->acts, &writer->acts, sizeof *table);
    if (!table)
        return full(writer);
    script->act = table;
    table[script->acts++] = (unsigned char)act;
    return SCT_OK;
}

/* Adds bytes to the peer's load in the batch, which is the last one. */
static sct_status add_load(sct_writer *writer, sct_batch *batch, int peer, uint64_t bytes) {
    sct_script *script = writer->script;
    int64_t known = writer->place[peer];
    if (known >= batch->first && known < script->loads && script->load[known].peer == peer) {
        script->load[known].bytes += bytes;
        return SCT_OK;
    }
    sct_load *table = more(script->load, script->loads, &writer->loads, sizeof *table);
    if (!table)
        return full(writer);
    script->load = table;
    table[script->loads] = (sct_load){bytes, peer};
    writer->place[peer] = script->loads++;
    batch->count++;
    return SCT_OK;
}

static sct_status add_operand(sct_writer *writer, const sct_operand *operand, sct_batch *batch) {
    *batch = (sct_batch){.first = writer->script->loads};
    sct_fragments fragments = sct_operand_begin(operand);
    sct_fragment f;
    sct_status status = SCT_OK;
    while (!status && sct_fragments_next(&fragments, &f))
        status = add_load(writer, batch, f.place.rank,
                          (uint64_t)f.lines * (uint64_t)f.count * sct_type_bytes(operand->type));
    return status;
}

static sct_status write_fetch(void *self, const sct_operand *operand, int64_t slot) {
    sct_writer *writer = self;
    sct_script *script = writer->script;
    sct_fetching *table = more(script->fetch, script->fetches, &writer->fetches, sizeof *table);
    if (!table)
        return full(writer);
    script->fetch = table;
    sct_fetching *fetch = &table[script->fetches++];
    *fetch = (sct_fetching){.slot = slot, .step = -1, .matrix = operand->matrix};
    sct_status status = add_operand(writer, operand, &fetch->loads);
    return status ? status : add_act(writer, SCT_ACT_FETCH);
}

/* A fetch is for the first step that uses its slot. */
static void name_fetches(sct_writer *writer, const sct_task *task) {
    const sct_script *script = writer->script;
    for (int64_t i = writer->named; i < script->fetches; i++) {
        sct_fetching *fetch = &script->fetch[i];
        if (fetch->step < 0 && fetch->slot == task->slot[fetch->matrix])
            fetch->step = task->step;
    }
    while (writer->named < script->fetches && script->fetch[writer->named].step >= 0)
        writer->named++;
}

static sct_status write_multiply(void *self, const sct_task *task) {
    sct_writer *writer = self;
    sct_script *script = writer->script;
    sct_work *table = more(script->work, script->works, &writer->works, sizeof *table);
    if (!table)
        return full(writer);
    script->work = table;
    sct_work *work = &table[script->works++];
    *work = (sct_work){.seconds = sct_machine_multiply(writer->machine,
                                                       writer->plan->product.type[SCT_MAT_A],
                                                       task->piece[SCT_DIM_M].indices.count,
                                                       task->piece[SCT_DIM_N].indices.count,
                                                       task->piece[SCT_DIM_K].indices.count),
                       .step = task->step,
                       .slot = {task->slot[SCT_MAT_A], task->slot[SCT_MAT_B]},
                       .flush = task->flush};
    script->slices += task->flush;
    name_fetches(writer, task);
    sct_status status =
        task->flush ? add_operand(writer, &task->operand[SCT_MAT_C], &work->result) : SCT_OK;
    return status ? status : add_act(writer, SCT_ACT_MULTIPLY);
}

static sct_status write_retire(void *self, const sct_task *task) {
    (void)task;
    return add_act(self, SCT_ACT_RETIRE);
}

static sct_status write_walk(sct_writer *writer) {
    static const sct_actor actor = {write_fetch, write_multiply, write_retire};
    const sct_plan *plan = writer->plan;
    const int64_t slots[2] = {plan->slots[SCT_MAT_A].count, plan->slots[SCT_MAT_B].count};
    sct_walker walker;
    sct_status status = sct_walker_create(plan, slots, &walker);
    if (status)
        return status;
    status = sct_walk(&walker, &actor, writer);
    sct_walker_clear(&walker);
    return status;
}

/* The pulls of exec/replicas.c: the lines of this rank's share from every other replica, to be
 * added; or those of the others' shares, to be copied. */
static sct_status write_pulls(sct_writer *writer, bool adds, sct_batch *batch) {
    const sct_product *product = &writer->plan->product;
    const sct_layout *c = product->layout[SCT_MAT_C];
    int rank = writer->plan->rank, home = sct_layout_home(c, rank);
    sct_status status = SCT_OK;
    *batch = (sct_batch){.first = writer->script->loads};
    for (int block = 0; block < sct_layout_cells(c, rank); block++) {
        sct_part part = sct_layout_part(c, &product->view[SCT_MAT_C], rank, block);
        uint64_t line = (uint64_t)part.count * sct_type_bytes(product->type[SCT_MAT_C]);
        for (int replica = 0; replica < c->replicas && !status; replica++) {
            int whose = adds ? home : replica;
            int64_t lines = sct_share(part.lines, c->replicas, whose + 1) -
                            sct_share(part.lines, c->replicas, whose);
            if (replica != home && lines > 0 && line > 0)
                status = add_load(writer, batch, sct_layout_place(c, replica, part.cell).rank,
                                  (uint64_t)lines * line);
        }
    }
    return status;
}

static sct_status write_replicas(sct_writer *writer) {
    const sct_plan *plan = writer->plan;
    const sct_layout *c = plan->product.layout[SCT_MAT_C];
    sct_result result = plan->options.result;
    if (result == SCT_RESULT_PARTIAL || plan->product.size[SCT_DIM_K] == 0)
        return SCT_OK;
    sct_status status = write_pulls(writer, true, &writer->script->add);
    bool copies = result == SCT_RESULT_ALL || sct_layout_home(c, plan->rank) == 0;
    return status || !copies ? status : write_pulls(writer, false, &writer->script->copy);
}

sct_status sct_script_create(const sct_plan *plan, const sct_machine *machine, sct_script *script) {
    const sct_options *options = &plan->options;
    sct_script made = {.slots = {plan->slots[SCT_MAT_A].count, plan->slots[SCT_MAT_B].count},
                       .accumulates = options->accumulates_in_flight,
                       .sync = options->sync,
                       .in_rounds = options->ordered && !plan->exclusive};
    sct_writer writer = {.plan = plan, .machine = machine, .script = &made};
    if (!(writer.place = calloc((size_t)plan->product.ranks, sizeof *writer.place)))
        return full(&writer);
    sct_status status = write_walk(&writer);
    if (!status)
        status = write_replicas(&writer);
    free(writer.place);
    if (status)
        sct_script_clear(&made);
    else
        *script = made;
    return status;
}

void sct_script_clear(sct_script *script) {
    free(script->act);
    free(script->fetch);
    free(script->work);
    free(script->load);
    *script = (sct_script){.acts = 0};
}
