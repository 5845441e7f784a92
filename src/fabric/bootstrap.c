/* bootstrap.c - see bootstrap.h. */
#include "fabric/bootstrap.h"

#include "fabric/fabric.h"

#include <stdio.h>
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

/* A fabric that can only exchange, by the allgather. An agreement needs no more. */
typedef struct bootstrap_fabric {
    sct_fabric base;
    const sct_bootstrap *bootstrap;
} bootstrap_fabric;

static sct_status exchange(sct_fabric *fabric, const void *mine, size_t bytes, void *all) {
    return sct_bootstrap_gather(((const bootstrap_fabric *)fabric)->bootstrap, mine, bytes, all);
}

sct_status sct_bootstrap_agree(const sct_bootstrap *bootstrap, sct_status status) {
    static const sct_fabric_ops ops = {.name = "bootstrap", .exchange = exchange};
    bootstrap_fabric ranks = {
        .base = {.ops = &ops, .rank = bootstrap->rank, .size = bootstrap->ranks},
        .bootstrap = bootstrap};
    return sct_fabric_agree(&ranks.base, status);
}
