/* products.c - products of every kind on so many ranks that share a GPU: rows of a covering array.
 *
 * products RANKS [TRIALS] */
#include "gpu/opened.h"
#include "support/check.h"
#include "whole/support/covering_trials.h"

#include <stdio.h>
#include <stdlib.h>

enum { TRIALS = 60 };

static void run(trial t) {
    t.engine = "cuda";
    t.devices.devices = "0";
    t.emulated.wrapped_alone = 0;
    trial_run(&t);
}

int main(int count, char **words) {
    int ranks = count > 1 ? atoi(words[1]) : 2, trials = count > 2 ? atoi(words[2]) : TRIALS;
    covering_trials *m = covering_trials_create(ranks, check_seed(1) + (uint64_t)ranks);
    trial t;
    sct_device_group_leave(&opened_devices(1)->group, 1);
    for (int done = 0; done < trials && covering_trials_next(m, &t); done++)
        run(t);
    cover_count counts = covering_trials_counts(m);
    printf("%d ranks: %lld of %lld pairs\n", ranks, (long long)counts.pairs,
           (long long)counts.all_pairs);
    covering_trials_destroy(m);
    return check_report("products");
}
