/* hash.c - SipHash-2-4 as its authors describe it, on little-endian words. */
#include "base/hash.h"

typedef struct state {
    uint64_t v[4];
} state;

static uint64_t rotated(uint64_t word, int bits) {
    return word << bits | word >> (64 - bits);
}

static void mix(state *s, int rounds) {
    uint64_t *v = s->v;
    for (int i = 0; i < rounds; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotated(v[1], 13) ^ v[0];
        v[3] = rotated(v[3], 16) ^ v[2];
        v[0] = rotated(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotated(v[1], 17) ^ v[2];
        v[3] = rotated(v[3], 21) ^ v[0];
        v[2] = rotated(v[2], 32);
    }
}

static void absorb(state *s, uint64_t word) {
    s->v[3] ^= word;
    mix(s, 2);
    s->v[0] ^= word;
}

/* Up to 8 bytes as a word. */
static uint64_t load(const unsigned char *bytes, size_t count) {
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

uint64_t sct_siphash(sct_siphash_key key, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    size_t left = count;
    /* the letters of "somepseudorandomlygeneratedbytes" */
    state s = {{key.word[0] ^ 0x736f6d6570736575u, key.word[1] ^ 0x646f72616e646f6du,
                key.word[0] ^ 0x6c7967656e657261u, key.word[1] ^ 0x7465646279746573u}};
    for (; left >= 8; left -= 8, at += 8)
        absorb(&s, load(at, 8));
    absorb(&s, load(at, left) | (uint64_t)count << 56);
    s.v[2] ^= 0xff;
    mix(&s, 4);
    return s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3];
}
