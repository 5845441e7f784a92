/* hash.c - the hash of a plan (FNV-1a), over all that decides the bits of the result. */
#include "plan/operand.h"

static uint64_t more(uint64_t hash, int64_t value) {
    for (int byte = 0; byte < 8; byte++)
        hash = (hash ^ ((uint64_t)value >> (8 * byte) & 255)) * 1099511628211u;
    return hash;
}

static uint64_t hash_span(uint64_t hash, sct_span span) {
    return more(more(more(hash, span.at), span.count), span.coord);
}

static uint64_t hash_piece(uint64_t hash, const sct_piece *piece) {
    for (int64_t i = 0; i < piece->indices.ranges; i++) {
        sct_range range = sct_indices_range(&piece->indices, i);
        hash = more(more(hash, range.lo), range.hi);
    }
    for (int side = 0; side < 2; side++)
        for (int64_t i = 0; i < piece->side[side].count; i++)
            hash = hash_span(hash, sct_spans_get(&piece->side[side], i));
    return hash;
}

/* Hashes pieces, and the layout of fetched tiles in workspace. */
static uint64_t hash_list(uint64_t hash, const sct_piece_list *list) {
    sct_reader reader = {.pieces = NULL};
    sct_piece piece;
    for (int64_t i = 0; i < list->pieces.count; i++) {
        sct_pieces_read(&list->pieces, i, &reader, &piece);
        hash = hash_piece(hash, &piece);
        for (int side = 0; side < 2; side++)
            if (list->tile[side])
                hash = hash_span(hash, list->tile[side][i].span);
    }
    return hash;
}

static uint64_t hash_product(uint64_t hash, const sct_product *product) {
    hash = more(more(hash, product->type[SCT_MAT_A]), product->type_c);
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        hash = more(more(hash, product->op[matrix]), product->layout[matrix]->order);
        hash = more(hash, product->layout[matrix]->replicas);
        hash = more(hash, product->ranks_per_node[matrix]);
    }
    return hash;
}

/* Hashes the steps in their order, with the sums that they begin and complete. */
static uint64_t hash_steps(uint64_t hash, const sct_plan *plan) {
    sct_readers readers = {.of = {{.pieces = NULL}}};
    sct_task task;
    for (int64_t step = 0; step < plan->steps; step++) {
        sct_plan_read(plan, step, &readers, &task);
        for (int dim = 0; dim < SCT_DIMS; dim++)
            hash = more(hash, task.number[dim]);
        hash = more(hash, task.fresh | task.flush << 1);
    }
    return hash;
}

uint64_t sct_plan_hash(const sct_plan *plan) {
    uint64_t hash = hash_product(14695981039346656037u, &plan->product);
    hash = more(more(more(hash, plan->rank), plan->work.shape), plan->options.ordered != 0);
    hash = more(more(hash, plan->options.result), plan->exclusive);
    for (int i = 0; i < plan->lists; i++)
        hash = hash_list(more(hash, i), &plan->list[i]);
    return hash_steps(hash, plan);
}
