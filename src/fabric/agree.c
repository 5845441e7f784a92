/* agree.c - tells all ranks whether any failed, and why. For that it needs only an exchange. */
#include "fabric/fabric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Up to this many ranks nothing is allocated, so that ranks can agree even when memory has run out.
 * The threads fabric never has more. */
enum { FEW_RANKS = 4096 };

/* What a rank says of its failure; it may be no status, and text without an end. */
static sct_status pass_on(int rank, uint64_t said, const char reason[SCT_REASON_BYTES]) {
    if (said > SCT_FAILED)
        return sct_fail(SCT_FAILED, "rank %d says no status: ranks do not understand each other",
                        rank);
    return sct_fail((sct_status)said, "%.*s", SCT_REASON_BYTES - 1, reason);
}

/* `words` has one word per rank. It first receives their statuses; then, if a rank failed, its
 * reason word by word. */
static sct_status agree(sct_fabric *fabric, sct_status mine, uint64_t *words) {
    uint64_t word = mine;
    sct_status status = fabric->ops->exchange(fabric, &word, sizeof word, words);
    if (status != SCT_OK)
        return status;
    int failed = 0;
    while (failed < fabric->size && words[failed] == SCT_OK)
        failed++;
    if (failed == fabric->size)
        return SCT_OK;
    uint64_t said = words[failed];
    char reason[SCT_REASON_BYTES] = "", found[SCT_REASON_BYTES];
    snprintf(reason, sizeof reason, "%s", sct_last_reason());
    for (size_t i = 0; i < sizeof reason && status == SCT_OK; i += sizeof word) {
        status = fabric->ops->exchange(fabric, reason + i, sizeof word, words);
        memcpy(found + i, &words[failed], sizeof word);
    }
    return status == SCT_OK ? pass_on(failed, said, found) : status;
}

sct_status sct_fabric_agree(sct_fabric *fabric, sct_status status) {
    uint64_t few[FEW_RANKS];
    if (fabric->size <= FEW_RANKS)
        return agree(fabric, status, few);
    uint64_t *words = malloc((size_t)fabric->size * sizeof *words);
    if (!words)
        return sct_fail(SCT_NO_MEMORY, "no memory to agree among %d ranks", fabric->size);
    status = agree(fabric, status, words);
    free(words);
    return status;
}

sct_status sct_fabric_order_by_waiting(sct_fabric *fabric, sct_status status, sct_stream *stream) {
    if (!status)
        status = sct_event_wait(sct_fabric_after(fabric, stream));
    return sct_fabric_agree(fabric, status);
}
