/* covering_products.c - products of every kind on 1, 2, 3, 4 and 8 ranks that share two parts of a
 * device of OpenCL: as many rows of a covering array as there is time for. */
#include "opencl/opened.h"
#include "support/check.h"
#include "whole/support/covering_trials.h"

#include <stdio.h>
#include <stdlib.h>

enum { TRIALS = 12 }; /* for each number of ranks */

static void run(trial t) {
    t.engine = "opencl";
    t.devices.devices = two_parts;
    t.emulated.wrapped_alone = 0;
    trial_run(&t);
}

int main(void) {
    const int ranks[] = {1, 2, 3, 4, 8};
    const char *text = getenv("SECTILE_TEST_TRIALS");
    int trials = text ? atoi(text) : TRIALS;
    uint64_t seed = check_seed(1);
    opened_parts();
    for (int i = 0; i < 5; i++) {
        covering_trials *m = covering_trials_create(ranks[i], seed + (uint64_t)i);
        trial t;
        for (int done = 0; done < trials && covering_trials_next(m, &t); done++)
            run(t);
        cover_count counts = covering_trials_counts(m);
        printf("%d ranks: %lld of %lld pairs\n", ranks[i], (long long)counts.pairs,
               (long long)counts.all_pairs);
        covering_trials_destroy(m);
    }
    return check_report("covering_products");
}
