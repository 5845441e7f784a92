/* suspect.h - which rank keeps others waiting: a limit on waiting, and a way to end it.
 *
 * Each rank publishes a sign, a number that is odd while the rank is in a call on the world. A rank
 * in a call computes, or waits under the same limit. So a rank is suspected only while it is in no
 * call, or does not run. A suspect whose sign does not change for the whole limit has failed. */
#ifndef SCT_FABRIC_SUSPECT_H
#define SCT_FABRIC_SUSPECT_H

#include "base/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef atomic_uint sct_sign;

/* Of a rank that has not left its first call, which makes the world. */
enum { SCT_FIRST_SIGN = 1 };

static inline bool sct_sign_is_inside(unsigned sign) {
    return sign % 2 == 1;
}

/* How a rank waits for others. */
typedef struct sct_wait_rules {
    int seconds;                       /* limit; 0: none */
    int (*interrupted)(void *context); /* nonzero: the rank gives up; or NULL */
    void *context;
} sct_wait_rules;

/* Of the options, which may be NULL. */
sct_wait_rules sct_wait_rules_of(const sct_world_options *options);

static inline bool sct_wait_is_ruled(const sct_wait_rules *rules) {
    return rules->seconds > 0 || rules->interrupted;
}

static inline bool sct_wait_is_interrupted(const sct_wait_rules *rules) {
    return rules->interrupted && rules->interrupted(rules->context);
}

/* The rank that a waiting rank suspects. */
typedef struct sct_suspect {
    int rank; /* -1: none */
    unsigned sign;
    int64_t since_ns;
} sct_suspect;

static inline sct_suspect sct_suspect_nobody(void) {
    return (sct_suspect){.rank = -1};
}

/* Notes what a look at one rank has shown. True if it has been suspected for the whole limit. */
bool sct_suspect_note(sct_suspect *suspect, int rank, bool suspicious, unsigned sign, int seconds);

/* Why ranks no longer meet, besides one that has left; or the limit in seconds. */
enum { SCT_HAS_LEFT = 0, SCT_INTERRUPTED = -1 };
/* The failure for a rank that has left, was interrupted, or did not respond for so many seconds. */
sct_status sct_rank_failure(int rank, int why);

#endif
