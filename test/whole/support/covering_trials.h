/* covering_trials.h - product trials from a covering array of all parameters, and random ones. */
#ifndef TEST_COVERING_TRIALS_H
#define TEST_COVERING_TRIALS_H

#include "whole/support/covering_array.h"
#include "whole/support/trial.h"

typedef struct covering_trials covering_trials;

/* Trials on so many ranks; 0: on 1 to 13. The same seed gives the same trials. */
covering_trials *covering_trials_create(int ranks, uint64_t seed);
/* The same on 1 to `most` ranks. */
covering_trials *covering_trials_up_to(int most, uint64_t seed);
void covering_trials_destroy(covering_trials *covering_trials);

/* The next trial of the covering array; false once everything is covered. Pairs are covered before
 * triples. */
bool covering_trials_next(covering_trials *covering_trials, trial *next);
trial covering_trials_random(covering_trials *covering_trials);
cover_count covering_trials_counts(const covering_trials *covering_trials);

#endif
