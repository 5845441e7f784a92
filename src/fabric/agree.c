/* agree.c - whether any rank failed, and why; and whether all ranks pass the same word. It takes no
 * memory, so that ranks can agree even when that has run out. */
#include "fabric/fabric.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { REASON_WORDS = SCT_REASON_BYTES / sizeof(uint64_t) };

static const uint64_t nothing = UINT64_MAX; /* the word of a rank that passes none */

/* The word of a failed rank: the least is that of the lowest rank. */
static uint64_t pack(int rank, sct_status status) {
    return (uint64_t)rank << 32 | (uint64_t)status;
}

/* All fail with the reason of one rank. It may be no status, and text without an end. */
static sct_status share_failure(sct_fabric *fabric, uint64_t failure) {
    uint64_t words[REASON_WORDS];
    char text[SCT_REASON_BYTES] = "";
    int rank = (int)(failure >> 32);
    uint32_t said = (uint32_t)failure;
    memset(words, UCHAR_MAX, sizeof words);
    if (rank == fabric->rank) {
        snprintf(text, sizeof text, "%s", sct_last_reason());
        memcpy(words, text, sizeof text);
    }
    sct_status status = fabric->ops->reduce(fabric, SCT_LEAST, words, REASON_WORDS);
    if (status)
        return status;
    if (said > SCT_FAILED)
        return sct_fail(SCT_FAILED, "rank %d says no status: ranks do not understand each other",
                        rank);
    memcpy(text, words, sizeof text);
    return sct_fail((sct_status)said, "%.*s", SCT_REASON_BYTES - 1, text);
}

sct_status sct_fabric_agree(sct_fabric *fabric, sct_status status) {
    uint64_t failure = status ? pack(fabric->rank, status) : nothing;
    status = fabric->ops->reduce(fabric, SCT_LEAST, &failure, 1);
    if (status || failure == nothing)
        return status;
    return share_failure(fabric, failure);
}

sct_status sct_fabric_find_odd(sct_fabric *fabric, uint64_t word, sct_odd_rank *odd) {
    uint64_t first = fabric->rank == 0 ? word : nothing, lowest = nothing;
    *odd = (sct_odd_rank){.rank = 0};
    sct_status status = fabric->ops->reduce(fabric, SCT_LEAST, &first, 1);
    if (!status) {
        lowest = word != first ? (uint64_t)fabric->rank : nothing;
        status = fabric->ops->reduce(fabric, SCT_LEAST, &lowest, 1);
    }
    if (status || lowest == nothing)
        return status;
    *odd = (sct_odd_rank){(int)lowest, lowest == (uint64_t)fabric->rank ? word : nothing, first};
    return fabric->ops->reduce(fabric, SCT_LEAST, &odd->word, 1);
}

sct_status sct_fabric_order_by_waiting(sct_fabric *fabric, sct_status status, sct_stream *stream) {
    if (!status)
        status = sct_event_wait(sct_fabric_after(fabric, stream));
    return sct_fabric_agree(fabric, status);
}
