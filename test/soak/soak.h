/* soak.h - random products without end, and what the process holds meanwhile. */
#ifndef TEST_SOAK_H
#define TEST_SOAK_H

#include "whole/support/covering_trials.h"

/* Runs so many random trials, each after `adjust` (NULL: as they are), prints what the process
 * holds after each tenth, and checks that it does not grow after the first. */
void soak_run(const char *engine, covering_trials *trials, long count, bool prints,
              void (*adjust)(trial *next));

/* The number that the first argument gives. */
long soak_count(int argc, char **argv);

#endif
