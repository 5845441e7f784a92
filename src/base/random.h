/* random.h - seeded random numbers and delays, for emulated remote ranks. */
#ifndef SCT_BASE_RANDOM_H
#define SCT_BASE_RANDOM_H

#include <stdint.h>

/* The next number of the sequence. */
uint64_t sct_random_next(uint64_t *state);
/* Sleeps for a random time of at most `longest_us` microseconds. */
void sct_random_delay(uint64_t *state, int longest_us);

#endif
