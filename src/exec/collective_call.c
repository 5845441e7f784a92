/* collective_call.c - compares the calls of all ranks by their least and greatest words. */
#include "exec/collective_call.h"

#include <string.h>

enum { FACTOR_WORDS = 2 * sizeof(sct_scalar) / sizeof(uint64_t) };

/* A word and its bitwise complement. Reduced to the least over all ranks, the first is the least
 * word of any rank, and the second the complement of the greatest. */
typedef struct range {
    uint64_t least, most;
} range;

static range range_of(uint64_t word) {
    return (range){word, ~word};
}

static bool is_one(range words) {
    return words.least == ~words.most;
}

/* What is reduced: words only. */
typedef struct compared {
    range kind, number, factor[FACTOR_WORDS];
    uint64_t sound;          /* whether nothing has failed */
    uint64_t without_slices; /* the complement of the slices */
} compared;

static compared compared_of(const sct_collective_call *mine) {
    uint64_t factors[FACTOR_WORDS];
    compared made = {.kind = range_of(mine->kind),
                     .number = range_of(mine->number),
                     .sound = mine->status == SCT_OK,
                     .without_slices = ~(uint64_t)mine->slices};
    memcpy(factors, &mine->alpha, sizeof mine->alpha);
    memcpy(factors + FACTOR_WORDS / 2, &mine->beta, sizeof mine->beta);
    for (int i = 0; i < FACTOR_WORDS; i++)
        made.factor[i] = range_of(factors[i]);
    return made;
}

static sct_status different_calls(sct_fabric *fabric, sct_call_kind mine) {
    sct_odd_rank odd;
    sct_status status = sct_fabric_find_odd(fabric, mine, &odd);
    return status ? status
                  : sct_fail(SCT_DISAGREE, "rank %d made a different collective call from rank 0",
                             odd.rank);
}

sct_status sct_calls_compare(sct_fabric *fabric, const sct_collective_call *mine,
                             sct_common *common) {
    uint64_t words[sizeof(compared) / sizeof(uint64_t)];
    compared all = compared_of(mine);
    memcpy(words, &all, sizeof all);
    *common = (sct_common){.factors = true};
    sct_status status = fabric->ops->reduce(fabric, SCT_LEAST, words, sizeof words / sizeof *words);
    if (status)
        return status;
    memcpy(&all, words, sizeof all);
    if (!all.sound)
        return sct_fabric_agree(fabric, mine->status);
    if (!is_one(all.kind))
        return different_calls(fabric, mine->kind);
    common->number = is_one(all.number);
    common->slices = (int64_t)~all.without_slices;
    for (int i = 0; i < FACTOR_WORDS; i++)
        common->factors = common->factors && is_one(all.factor[i]);
    return SCT_OK;
}
