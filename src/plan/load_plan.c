/* load_plan.c - what a rank has to do, by its plan. */
#include "plan/load.h"
#include "plan/walk.h"

typedef struct sct_loader {
    const sct_plan *plan;
    const sct_machine *machine;
    sct_load *load;
} sct_loader;

static sct_flow *flow_with(const sct_loader *loader, int rank) {
    return &loader->load->flow[sct_level_between(loader->machine, loader->plan->product.ranks,
                                                 loader->plan->rank, rank)];
}

static double bytes_of(const sct_operand *operand, const sct_fragment *fragment) {
    return (double)fragment->lines * (double)fragment->count *
           (double)sct_type_bytes(operand->type);
}

static sct_status load_fetch(void *self, const sct_operand *operand, int64_t slot) {
    (void)slot;
    const sct_loader *loader = self;
    sct_fragments fragments = sct_operand_begin(operand);
    sct_fragment fragment;
    while (sct_fragments_next(&fragments, &fragment)) {
        double bytes = bytes_of(operand, &fragment);
        if (fragment.place.rank == loader->plan->rank) {
            loader->load->copied += bytes;
            continue;
        }
        flow_with(loader, fragment.place.rank)->got += bytes;
        flow_with(loader, fragment.place.rank)->messages++;
    }
    return SCT_OK;
}

static void load_flush(const sct_loader *loader, const sct_operand *c) {
    sct_fragments fragments = sct_operand_begin(c);
    sct_fragment fragment;
    while (sct_fragments_next(&fragments, &fragment)) {
        double bytes = bytes_of(c, &fragment);
        if (fragment.place.rank == loader->plan->rank) {
            loader->load->copied += 2 * bytes; /* stored, then added */
            continue;
        }
        flow_with(loader, fragment.place.rank)->added += bytes;
        flow_with(loader, fragment.place.rank)->messages++;
    }
}

static void load_in_place(const sct_loader *loader, const sct_operand *operand) {
    sct_fragments fragments = sct_operand_begin(operand);
    sct_fragment fragment;
    while (sct_fragments_next(&fragments, &fragment))
        if (fragment.place.rank != loader->plan->rank)
            flow_with(loader, fragment.place.rank)->read += bytes_of(operand, &fragment);
}

static sct_status load_multiply(void *self, const sct_task *task) {
    const sct_loader *loader = self;
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
    sct_loader loader = {plan, machine, &found};
    if (!status)
        status = sct_walk(&walker, &actor, &loader);
    sct_walker_clear(&walker);
    if (!status)
        *load = found;
    return status;
}
