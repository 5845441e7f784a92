/* siphash.h - SipHash-2-4, a keyed hash by Aumasson and Bernstein: without the key, nobody can tell
 * the hash of a message, however many hashes of others are known. */
#ifndef SCT_BASE_SIPHASH_H
#define SCT_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct sct_siphash_key {
    uint64_t word[2];
} sct_siphash_key;

uint64_t sct_siphash(sct_siphash_key key, const void *bytes, size_t count);

#endif
