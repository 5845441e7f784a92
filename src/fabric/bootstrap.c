/* bootstrap.c - see bootstrap.h. */
#include "fabric/bootstrap.h"

#include <stdio.h>
#include <string.h>

sct_status sct_bootstrap_gather(const sct_bootstrap *bootstrap, const void *mine, size_t bytes,
                                void *all) {
    char before[SCT_REASON_BYTES], reason[SCT_REASON_BYTES];
    snprintf(before, sizeof before, "%s", sct_last_reason());
    if (bootstrap->allgather(bootstrap->context, mine, bytes, all) == 0)
        return SCT_OK;
    snprintf(reason, sizeof reason, "%s", sct_last_reason());
    if (strcmp(reason, before) == 0)
        return sct_fail(SCT_FAILED, "the allgather of the bootstrap failed");
    return sct_fail(SCT_FAILED, "the allgather of the bootstrap failed: %s", reason);
}
