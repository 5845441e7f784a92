/* threads_ranks.h - runs the rules of fabrics on ranks that are threads. */
#ifndef TEST_THREADS_RANKS_H
#define TEST_THREADS_RANKS_H

#include <sectile/sectile.h>

/* Makes a threads fabric on so many new threads, runs all rules on it and closes it. */
void threads_ranks_run(int ranks, const sct_world_options *options, uint64_t seed);

#endif
