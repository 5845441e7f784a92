/* backoff.h - how a waiting thread passes the time until it looks again. */
#ifndef SCT_FABRIC_BACKOFF_H
#define SCT_FABRIC_BACKOFF_H

#include <sectile/sectile.h>
#include <stdbool.h>
#include <stdint.h>

/* The processor's hint for a spinning loop. */
static inline void sct_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb");
#endif
}

/* For a thread that polls: first not at all, then by yielding, then by growing naps.
 *
 * All zeros except `crowded`: more threads wait than there are processors. */
typedef struct sct_backoff {
    bool crowded;
    int64_t since_ns, nap_ns;
} sct_backoff;

SCT_API void sct_backoff_pass(sct_backoff *backoff);

/* True if `busy` threads are more than this machine has processors. */
bool sct_backoff_is_crowded(int busy);

/* What a poll has moved. */
typedef struct sct_activity {
    int count;
    bool small; /* some of it in small messages, for which someone waits */
} sct_activity;

/* For a service. Naps are long while large pieces arrive, since several are in flight; they shorten
 * when many arrive at once. They are short when someone waits for a small message.
 *
 * All zeros except `yields`: the number of idle polls before the first nap. */
typedef struct sct_poll_interval {
    int yields;
    long nap_us; /* the last nap */
} sct_poll_interval;

void sct_poll_interval_rest(sct_poll_interval *interval, sct_activity activity, long longest_us);

#endif
