/* siphash.c - SipHash-2-4 gives the values that its authors have published: for messages 0, 1, 2,
 * ... of several lengths with the key 0, 1, ..., 15. */
#include "base/hash.h"
#include "support/check.h"

int main(void) {
    static const struct {
        size_t length;
        uint64_t hash;
    } published[] = {{0, 0x726fdb47dd0e0e31u}, {1, 0x74f839c593dc67fdu}, {2, 0x0d6c8009d9a94f5au},
                     {3, 0x85676696d7fb7e2du}, {8, 0x93f5f5799a932462u}, {15, 0xa129ca6149be45e5u}};
    const sct_siphash_key key = {{0x0706050403020100u, 0x0f0e0d0c0b0a0908u}};
    unsigned char message[16];
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (unsigned char)i;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        CHECK_CASE(sct_siphash(key, message, published[i].length) == published[i].hash, "%zu bytes",
                   published[i].length);
    return check_report("siphash");
}
