/* hash.h - hashes of bytes: FNV-1a; and SipHash-2-4, a keyed hash by Aumasson and Bernstein:
 * without the key, nobody can tell the hash of a message, however many hashes of others are known.
 */
#ifndef SCT_BASE_HASH_H
#define SCT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

static const uint64_t sct_hash_of_nothing = UINT64_C(14695981039346656037);

/* The hash of what `hash` stands for, followed by these bytes. */
static inline uint64_t sct_hash_more(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    return hash;
}

typedef struct sct_siphash_key {
    uint64_t word[2];
} sct_siphash_key;

uint64_t sct_siphash(sct_siphash_key key, const void *bytes, size_t count);

#endif
