/* covering_devices.c - products of every kind on emulated devices with memory of their own: all
 * pairs of options by a covering array, then random ones. Wrapped matrices are memory of the host.
 * On many ranks the devices mean hundreds of threads, which find nothing that those of 7 ranks do
 * not. */
#include "support/check.h"
#include "whole/support/covering_trials.h"

#include <stdio.h>

enum { RANDOM = 20, MOST_RANKS = 7 };

static void run(trial t) {
    t.on_devices = true;
    t.emulated.wrapped_alone = 0;
    if (t.emulated.ranks_per_node == 0)
        t.emulated.ranks_per_node = 1; /* as for each device by itself */
    trial_run(&t);
}

int main(void) {
    covering_trials *m = covering_trials_up_to(MOST_RANKS, check_seed(1));
    cover_count counts = covering_trials_counts(m);
    long trials = 0;
    for (trial t; counts.pairs < counts.all_pairs && covering_trials_next(m, &t); trials++) {
        run(t);
        counts = covering_trials_counts(m);
    }
    for (int i = 0; i < RANDOM; i++)
        run(covering_trials_random(m));
    covering_trials_destroy(m);
    printf("%ld trials cover %lld of %lld pairs; %d random trials\n", trials,
           (long long)counts.pairs, (long long)counts.all_pairs, RANDOM);
    return check_report("covering_devices");
}
