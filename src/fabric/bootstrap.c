/* bootstrap.c - see bootstrap.h. */
#include "fabric/bootstrap.h"

#include "fabric/barrier.h"
#include "fabric/fabric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sct_status sct_bootstrap_gather(const sct_bootstrap *bootstrap, const void *mine, size_t bytes,
                                void *all) {
    char before[SCT_REASON_BYTES];
    snprintf(before, sizeof before, "%s", sct_last_reason());
    if (bootstrap->allgather(bootstrap->context, mine, bytes, all) == 0)
        return SCT_OK;
    if (strcmp(sct_last_reason(), before) == 0)
        return sct_fail(SCT_FAILED, "the allgather of the bootstrap failed");
    return sct_fail(SCT_FAILED, "the allgather of the bootstrap failed: %s", sct_last_reason());
}

/* `all` has room for a byte of each of SCT_BARRIER_MOST_RANKS ranks. It lies on the stack, as a
 * rank without memory must take part too. */
static sct_status all_have(const sct_bootstrap *bootstrap, bool mine, const char *what, char *all) {
    char has = mine;
    if (bootstrap->ranks > SCT_BARRIER_MOST_RANKS)
        return mine ? SCT_OK : sct_no_memory(what);
    sct_status status = sct_bootstrap_gather(bootstrap, &has, sizeof has, all);
    for (int r = 0; r < bootstrap->ranks && !status; r++)
        if (!all[r])
            status = sct_fail(SCT_NO_MEMORY, "no memory for %s of rank %d", what, r);
    return status;
}

sct_status sct_bootstrap_all_have(const sct_bootstrap *bootstrap, bool mine, const char *what) {
    char all[SCT_BARRIER_MOST_RANKS];
    return all_have(bootstrap, mine, what, all);
}

/* FEW: words on the stack, with which up to so many ranks need no memory to agree. AT_ONCE: words
 * of each of more ranks. */
enum { FEW = SCT_BARRIER_MOST_RANKS / sizeof(uint64_t), AT_ONCE = 4 };

/* `most` words at once, of each rank. */
static sct_status reduce_by(const sct_bootstrap *bootstrap, sct_reduction how, uint64_t *words,
                            size_t count, size_t most, uint64_t *all) {
    size_t ranks = (size_t)bootstrap->ranks;
    sct_status status = SCT_OK;
    for (size_t from = 0; from < count && !status; from += most) {
        size_t some = count - from < most ? count - from : most;
        status = sct_bootstrap_gather(bootstrap, words + from, some * sizeof *words, all);
        for (size_t r = 0; r < ranks && !status; r++)
            sct_reduce_words(how, words + from, all + r * some, some);
    }
    return status;
}

sct_status sct_bootstrap_reduce(const sct_bootstrap *bootstrap, sct_reduction how, uint64_t *words,
                                size_t count) {
    union {
        uint64_t few[FEW];
        char bytes[SCT_BARRIER_MOST_RANKS];
    } all;
    size_t ranks = (size_t)bootstrap->ranks, most = count < AT_ONCE ? count : AT_ONCE;
    if (ranks <= FEW)
        return reduce_by(bootstrap, how, words, count, FEW / ranks, all.few);
    uint64_t *many = calloc(ranks * most, sizeof *many);
    sct_status status = all_have(bootstrap, many, "what all ranks agree on", all.bytes);
    if (!status)
        status = reduce_by(bootstrap, how, words, count, most, many);
    free(many);
    return status;
}

/* A fabric that can only reduce. An agreement needs no more. */
typedef struct bootstrap_fabric {
    sct_fabric base;
    const sct_bootstrap *bootstrap;
} bootstrap_fabric;

static sct_status reduce(sct_fabric *fabric, sct_reduction how, uint64_t *words, size_t count) {
    return sct_bootstrap_reduce(((const bootstrap_fabric *)fabric)->bootstrap, how, words, count);
}

sct_status sct_bootstrap_agree(const sct_bootstrap *bootstrap, sct_status status) {
    static const sct_fabric_ops ops = {.name = "bootstrap", .reduce = reduce};
    bootstrap_fabric ranks = {
        .base = {.ops = &ops, .rank = bootstrap->rank, .size = bootstrap->ranks},
        .bootstrap = bootstrap};
    return sct_fabric_agree(&ranks.base, status);
}
