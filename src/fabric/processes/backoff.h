/* backoff.h - how a polling thread passes the time until the next poll: first not at all, then by
 * yielding, then by growing naps. */
#ifndef SCT_FABRIC_PROCESSES_BACKOFF_H
#define SCT_FABRIC_PROCESSES_BACKOFF_H

#include <sectile/sectile.h>

#include <stdbool.h>
#include <stdint.h>

/* All zeros except `crowded`: more threads wait than there are processors. */
typedef struct sct_backoff {
    bool crowded;
    int64_t since_ns, nap_ns;
} sct_backoff;

SCT_API void sct_backoff_pass(sct_backoff *backoff);

/* True if `busy` threads are more than this machine has processors. */
bool sct_backoff_is_crowded(int busy);

#endif
