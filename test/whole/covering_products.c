/* covering_products.c - products of every kind: all pairs of options by a covering array, then
 * triples, then random ones.
 *
 * After all pairs are covered, SECTILE_TEST_TRIALS more trials run (default 1000): they cover
 * triples while any are left, and then are random. */
#include "whole/support/covering_trials.h"

#include <stdio.h>
#include <stdlib.h>

enum { TRIALS = 1000 };

/* Covers all pairs, then triples with up to `more` trials; returns how many of those are left over.
 */
static long run_cover(covering_trials *m, long more) {
    trial t;
    cover_count counts = covering_trials_counts(m);
    while ((counts.pairs < counts.all_pairs || more > 0) && covering_trials_next(m, &t)) {
        trial_run(&t);
        more -= counts.pairs == counts.all_pairs;
        if (counts.pairs < counts.all_pairs)
            counts = covering_trials_counts(m);
    }
    return more;
}

int main(void) {
    const char *text = getenv("SECTILE_TEST_TRIALS");
    covering_trials *m = covering_trials_create(0, check_seed(1));
    long random = run_cover(m, text ? strtol(text, NULL, 10) : TRIALS);
    cover_count counts = covering_trials_counts(m);
    for (long i = 0; i < random; i++) {
        trial t = covering_trials_random(m);
        trial_run(&t);
    }
    covering_trials_destroy(m);
    printf("%lld of %lld pairs and %lld of %lld triples are covered; %ld random trials\n",
           (long long)counts.pairs, (long long)counts.all_pairs, (long long)counts.triples,
           (long long)counts.all_triples, random);
    return check_report("covering_products");
}
