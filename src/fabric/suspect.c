/* suspect.c - see suspect.h. */
#include "fabric/suspect.h"

#include "base/clock.h"

sct_wait_rules sct_wait_rules_of(const sct_world_options *options) {
    return options ? (sct_wait_rules){options->wait_seconds, options->interrupted,
                                      options->interrupted_context}
                   : (sct_wait_rules){.seconds = 0};
}

bool sct_suspect_note(sct_suspect *suspect, int rank, bool suspicious, unsigned sign, int seconds) {
    bool same = suspect->rank == rank && suspicious && suspect->sign == sign;
    if (suspect->rank == rank && !same)
        *suspect = sct_suspect_nobody();
    if (suspect->rank < 0 && suspicious)
        *suspect = (sct_suspect){rank, sign, sct_now_coarse_ns()};
    return same && sct_now_coarse_ns() - suspect->since_ns >= seconds * INT64_C(1000000000);
}

sct_status sct_rank_failure(int rank, int why) {
    if (why == SCT_HAS_LEFT)
        return sct_fail(SCT_FAILED, "rank %d has left", rank);
    if (why == SCT_INTERRUPTED)
        return sct_fail(SCT_FAILED, "rank %d was interrupted", rank);
    return sct_fail(SCT_FAILED,
                    "rank %d did not respond for %d s, the limit on waiting (wait_seconds or "
                    "SECTILE_WAIT_SECONDS)",
                    rank, why);
}
