/* machines.h - machines made up for tests, in which only what a test is about takes time. */
#ifndef TEST_MACHINES_H
#define TEST_MACHINES_H

#include "machine/machine.h"

/* Any number of ranks on one level without limits; the peak is 2^30 for all types. */
sct_machine make_machine(void);

/* A level of groups of so many ranks (0: all) without limits. */
sct_level make_level(int64_t ranks);

/* Any machine: one to three levels, any of their limits, by rank or not. */
sct_machine make_random_machine(uint64_t *state);

#endif
