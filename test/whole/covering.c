/* covering.c - products of every kind: a covering array of all options, then random ones.
 *
 * SECTILE_TEST_TRIALS says how many trials follow those that cover all pairs: they cover triples as
 * long as there are any, then they are random. */
#include "whole/support/mix.h"

#include <stdio.h>
#include <stdlib.h>

enum { TRIALS = 1000 };

/* Covers all pairs, and triples with `more` trials; returns how many of these are left. */
static long run_cover(mix *m, long more) {
    trial t;
    cover_count counts = mix_counts(m);
    while ((counts.pairs < counts.all_pairs || more > 0) && mix_next(m, &t)) {
        trial_run(&t);
        more -= counts.pairs == counts.all_pairs;
        if (counts.pairs < counts.all_pairs)
            counts = mix_counts(m);
    }
    return more;
}

int main(void) {
    const char *text = getenv("SECTILE_TEST_TRIALS");
    mix *m = mix_create(0, check_seed(1));
    long random = run_cover(m, text ? strtol(text, NULL, 10) : TRIALS);
    cover_count counts = mix_counts(m);
    for (long i = 0; i < random; i++) {
        trial t = mix_any(m);
        trial_run(&t);
    }
    mix_destroy(m);
    printf("%lld of %lld pairs and %lld of %lld triples are covered; %ld random trials\n",
           (long long)counts.pairs, (long long)counts.all_pairs, (long long)counts.triples,
           (long long)counts.all_triples, random);
    return check_report("covering");
}
