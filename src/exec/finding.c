/* finding.c - compares findings by the least and the greatest words of all ranks. */
#include "exec/finding.h"

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
typedef struct findings {
    range of, number, factor[FACTOR_WORDS];
    uint64_t sound;          /* whether nothing has failed */
    uint64_t without_slices; /* the complement of the slices */
} findings;

static findings findings_of(const sct_finding *mine) {
    uint64_t factors[FACTOR_WORDS];
    findings made = {.of = range_of(mine->of),
                     .number = range_of(mine->number),
                     .sound = mine->status == SCT_OK,
                     .without_slices = ~(uint64_t)mine->slices};
    memcpy(factors, &mine->alpha, sizeof mine->alpha);
    memcpy(factors + FACTOR_WORDS / 2, &mine->beta, sizeof mine->beta);
    for (int i = 0; i < FACTOR_WORDS; i++)
        made.factor[i] = range_of(factors[i]);
    return made;
}

static sct_status different_calls(sct_fabric *fabric, sct_finding_of mine) {
    sct_odd_rank odd;
    sct_status status = sct_fabric_find_odd(fabric, mine, &odd);
    return status ? status
                  : sct_fail(SCT_DISAGREE, "rank %d made a different collective call from rank 0",
                             odd.rank);
}

sct_status sct_finding_compare(sct_fabric *fabric, const sct_finding *mine, sct_common *common) {
    uint64_t words[sizeof(findings) / sizeof(uint64_t)];
    findings all = findings_of(mine);
    memcpy(words, &all, sizeof all);
    *common = (sct_common){.factors = true};
    sct_status status = fabric->ops->reduce(fabric, SCT_LEAST, words, sizeof words / sizeof *words);
    if (status)
        return status;
    memcpy(&all, words, sizeof all);
    if (!all.sound)
        return sct_fabric_agree(fabric, mine->status);
    if (!is_one(all.of))
        return different_calls(fabric, mine->of);
    common->number = is_one(all.number);
    common->slices = (int64_t)~all.without_slices;
    for (int i = 0; i < FACTOR_WORDS; i++)
        common->factors = common->factors && is_one(all.factor[i]);
    return SCT_OK;
}
