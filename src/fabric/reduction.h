/* reduction.h - how words of several ranks become one, and how ranks see that they pass the same
 * number of words or bytes to the same collective call. */
#ifndef SCT_FABRIC_REDUCTION_H
#define SCT_FABRIC_REDUCTION_H

#include <stddef.h>
#include <stdint.h>

/* The least, or the bits that any has. A word may count several times: that changes neither. */
typedef enum sct_reduction { SCT_LEAST, SCT_ANY_BIT } sct_reduction;

static inline void sct_reduce_words(sct_reduction how, uint64_t *into, const uint64_t *from,
                                    size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t least = from[i] < into[i] ? from[i] : into[i];
        into[i] = how == SCT_LEAST ? least : into[i] | from[i];
    }
}

/* A number that stands for a collective call and its size. Ranks compare it: it is the same if they
 * exchange the same number of bytes, or reduce the same number of words in the same way. */
enum { SCT_PAYLOADS = 3 };
static inline uint64_t sct_exchanged_payload(size_t bytes) {
    return (uint64_t)bytes * SCT_PAYLOADS + SCT_PAYLOADS - 1;
}

static inline uint64_t sct_reduced_payload(sct_reduction how, size_t count) {
    return (uint64_t)count * sizeof(uint64_t) * SCT_PAYLOADS + (uint64_t)how;
}

#endif
