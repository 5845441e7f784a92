/* hash.c - a plan as one number: FNV-1a over what decides the bits of the result. */
#include "plan/plan.h"

static uint64_t more(uint64_t hash, int64_t value) {
    for (int byte = 0; byte < 8; byte++)
        hash = (hash ^ ((uint64_t)value >> (8 * byte) & 255)) * 1099511628211u;
    return hash;
}

static uint64_t hash_piece(uint64_t hash, const sct_piece *piece) {
    for (int64_t i = 0; i < piece->indices.ranges; i++) {
        sct_range range = sct_indices_range(&piece->indices, i);
        hash = more(more(hash, range.lo), range.hi);
    }
    for (int side = 0; side < 2; side++)
        for (int64_t i = 0; i < piece->side[side].count; i++) {
            const sct_span *span = &sct_spans_list(&piece->side[side])[i];
            hash = more(more(more(hash, span->at), span->count), span->coord);
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

static uint64_t hash_list(uint64_t hash, int number, const sct_pieces *pieces) {
    sct_reader reader = {.pieces = NULL};
    sct_piece piece;
    for (int64_t i = 0; i < pieces->count; i++) {
        sct_pieces_read(pieces, i, &reader, &piece);
        hash = hash_piece(more(hash, number), &piece);
    }
    return hash;
}

uint64_t sct_plan_hash(const sct_plan *plan) {
    uint64_t hash = hash_product(14695981039346656037u, &plan->product);
    hash = more(more(more(hash, plan->rank), plan->stay), plan->options.ordered != 0);
    hash = more(more(hash, plan->options.result), plan->exclusive);
    for (int i = 0; i < plan->lists; i++)
        hash = hash_list(hash, i, &plan->list[i].pieces);
    for (int i = 0; i < plan->boxes; i++) {
        hash = more(more(hash, plan->box[i].first), plan->box[i].offset);
        for (int dim = 0; dim < SCT_DIMS; dim++)
            hash = more(hash, plan->box[i].list[dim]);
    }
    return hash;
}
