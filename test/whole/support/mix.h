/* mix.h - trials of every kind: few in which all options meet each other, and any others. */
#ifndef TEST_MIX_H
#define TEST_MIX_H

#include "whole/support/cover.h"
#include "whole/support/trial.h"

typedef struct mix mix;

/* On so many ranks; 0: on 1 to 13. The same seed gives the same trials. */
mix *mix_create(int ranks, uint64_t seed);
void mix_destroy(mix *mix);

/* The next of the covering array; false once all is covered. Pairs come before triples. */
bool mix_next(mix *mix, trial *next);
trial mix_any(mix *mix);
cover_count mix_counts(const mix *mix);

#endif
