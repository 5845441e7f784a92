/* covering_products.c - products of every kind on processes: all pairs of a covering array of all
 * parameters, then random ones. All ranks generate the same trials. */
#include "processes/ranks.h"
#include "support/check.h"
#include "whole/support/covering_trials.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANDOM = 20 };

static void run(trial t) {
    t.emulated.wrapped_alone = 1; /* on processes wrapped memory is never shared */
    t.emulated.ranks_per_node = ranks_sharing_memory(t.emulated.ranks_per_node);
    trial_run(&t);
}

int main(void) {
    covering_trials *m = covering_trials_create(ranks_size(), check_seed(1));
    cover_count counts = covering_trials_counts(m);
    long trials = 0;
    const char *text = getenv("SECTILE_TEST_TRIALS"); /* at most; NULL: all */
    long most = text ? atol(text) : LONG_MAX;
    for (trial t; trials < most && counts.pairs < counts.all_pairs && covering_trials_next(m, &t);
         trials++) {
        run(t);
        counts = covering_trials_counts(m);
    }
    for (int i = 0; i < RANDOM; i++)
        run(covering_trials_random(m));
    covering_trials_destroy(m);
    printf("%ld trials cover %lld of %lld pairs; %d random trials\n", trials,
           (long long)counts.pairs, (long long)counts.all_pairs, RANDOM);
    return check_report("covering_products");
}
