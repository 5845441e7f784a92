/* random.h - seeded random numbers and delays, for emulated remote ranks. */
#ifndef TEST_ENGINE_RANDOM_H
#define TEST_ENGINE_RANDOM_H

#include <stdint.h>

/* The next number of the sequence. */
uint64_t random_next(uint64_t *state);
/* Sleeps for a random time of at most `longest_us` microseconds; not at all if it is short. */
void random_delay(uint64_t *state, int longest_us);

#endif
