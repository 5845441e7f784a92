/* workload_plan.c - what a rank has to do, by its plan. */
#include "cost/workload.h"
#include "plan/owners.h"
#include "plan/walk.h"

typedef struct sct_loader {
    const sct_plan *plan;
    const sct_machine *machine;
    sct_owners owners;
    sct_load *load;
} sct_loader;

static sct_flow *flow_with(const sct_loader *loader, int rank) {
    return &loader->load->flow[sct_level_between(loader->machine, loader->plan->product.ranks,
                                                 loader->plan->rank, rank)];
}

static sct_status load_fetch(void *self, const sct_operand *operand, int64_t slot) {
    (void)slot;
    sct_loader *loader = self;
    sct_owned owned;
    sct_owners_begin(&loader->owners, operand);
    while (sct_owners_next(&loader->owners, &owned)) {
        if (owned.rank == loader->plan->rank) {
            loader->load->copied += (double)owned.bytes;
            continue;
        }
        sct_flow *flow = flow_with(loader, owned.rank);
        flow->got += (double)owned.bytes;
        flow->messages += (double)owned.fragments;
    }
    return SCT_OK;
}

static void load_flush(sct_loader *loader, const sct_operand *c) {
    sct_owned owned;
    sct_owners_begin(&loader->owners, c);
    while (sct_owners_next(&loader->owners, &owned)) {
        if (owned.rank == loader->plan->rank) {
            loader->load->copied += 2 * (double)owned.bytes; /* stored, then added */
            continue;
        }
        sct_flow *flow = flow_with(loader, owned.rank);
        flow->added += (double)owned.bytes;
        flow->messages += (double)owned.fragments;
    }
}

static void load_in_place(sct_loader *loader, const sct_operand *operand) {
    sct_owned owned;
    sct_owners_begin(&loader->owners, operand);
    while (sct_owners_next(&loader->owners, &owned))
        if (owned.rank != loader->plan->rank)
            flow_with(loader, owned.rank)->read += (double)owned.bytes;
}

static sct_status load_multiply(void *self, const sct_task *task) {
    sct_loader *loader = self;
    const sct_product *product = &loader->plan->product;
    loader->load->steps++;
    loader->load->computing += sct_machine_multiply(
        loader->machine, product->type[SCT_MAT_A], task->piece[SCT_DIM_M].indices.count,
        task->piece[SCT_DIM_N].indices.count, task->piece[SCT_DIM_K].indices.count);
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        if (task->operand[matrix].in_place)
            load_in_place(loader, &task->operand[matrix]);
    if (task->flush)
        load_flush(loader, &task->operand[SCT_MAT_C]);
    return SCT_OK;
}

sct_status sct_load_plan(const sct_plan *plan, const sct_machine *machine, sct_load *load) {
    static const sct_actor actor = {.fetch = load_fetch, .multiply = load_multiply};
    const int64_t slots[] = {plan->slots[SCT_MAT_A].count, plan->slots[SCT_MAT_B].count};
    sct_walker walker;
    sct_status status = sct_walker_create(plan, slots, &walker);
    sct_load found = {.computing = 0};
    sct_loader loader = {.plan = plan, .machine = machine, .load = &found};
    if (!status)
        status = sct_walk(&walker, &actor, &loader);
    sct_status counted = sct_owners_end(&loader.owners);
    sct_walker_clear(&walker);
    status = status ? status : counted;
    if (!status)
        *load = found;
    return status;
}
