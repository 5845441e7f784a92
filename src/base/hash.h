/* hash.h - a hash of bytes: FNV-1a. */
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

#endif
