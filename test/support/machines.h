/* machines.h - made-up machines on which only what a test is about takes time. */
#ifndef TEST_MACHINES_H
#define TEST_MACHINES_H

#include "machine/machine.h"

/* One level for any number of ranks, without limits; every type has a peak of 2^30 flop/s. */
sct_machine make_machine(void);

/* A level whose groups have so many ranks (0: one group of all ranks), without limits. */
sct_level make_level(int64_t ranks);

/* A random machine of one to three levels, with random limits, some of them per rank. */
sct_machine make_random_machine(uint64_t *state);

#endif
