/* random.h - seeded random numbers, and delays drawn from them: for back ends that pretend. */
#ifndef SCT_BASE_RANDOM_H
#define SCT_BASE_RANDOM_H

#include <stdint.h>

/* The next number of the sequence that the state stands for. */
uint64_t sct_chance_next(uint64_t *state);
/* Sleeps for at most `longest_us` microseconds; not at all if that is 0. */
void sct_chance_delay(uint64_t *state, int longest_us);

#endif
