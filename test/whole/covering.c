/* covering.c - products of every kind: a covering array of all options, then random ones.
 *
 * SECTILE_TEST_SECONDS limits the time, but for the pairs, which are always covered;
 * SECTILE_TEST_TRIALS says how many random trials follow. */
#include "whole/support/mix.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long setting(const char *name, long fallback) {
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : fallback;
}

/* Covers all pairs and, until then, the triples; returns how many trials that took. */
static long run_cover(mix *m, time_t until) {
    trial t;
    long trials = 0;
    cover_count counts = mix_counts(m);
    while ((counts.pairs < counts.all_pairs || time(NULL) < until) && mix_next(m, &t)) {
        trial_run(&t);
        trials++;
        if (counts.pairs < counts.all_pairs)
            counts = mix_counts(m);
    }
    return trials;
}

static long run_random(mix *m, long most, time_t until) {
    long trials = 0;
    for (; trials < most && time(NULL) < until; trials++) {
        trial t = mix_any(m);
        trial_run(&t);
    }
    return trials;
}

int main(void) {
    mix *m = mix_create(0, check_seed(1));
    time_t until = time(NULL) + setting("SECTILE_TEST_SECONDS", 28);
    long covering = run_cover(m, until);
    cover_count counts = mix_counts(m);
    long beyond = run_random(m, setting("SECTILE_TEST_TRIALS", 1000), until);
    mix_destroy(m);
    printf("%ld trials cover %lld of %lld pairs and %lld of %lld triples; %ld random trials\n",
           covering, (long long)counts.pairs, (long long)counts.all_pairs,
           (long long)counts.triples, (long long)counts.all_triples, beyond);
    return check_report("covering");
}
