/* covering_products.c - products of every kind on 1, 2, 3, 4 and 8 ranks with emulated devices of
 * CUDA: as many rows of a covering array as there is time for. */
#include "cuda/stand_in.h"
#include "support/check.h"
#include "whole/support/covering_trials.h"

#include <stdio.h>
#include <stdlib.h>

enum { TRIALS = 40 }; /* at most, for each number of ranks */

/* A device for each emulated node, so that near ranks share one: "0,0,1". */
static void list_devices(const trial *t, int per_node, char list[3 * 8]) {
    char *end = list;
    for (int r = 0; r < t->ranks; r++)
        end += sprintf(end, r ? ",%d" : "%d", r / per_node);
}

static void run(trial t, int number) {
    char list[3 * 8];
    bool several = number % 4 > 0;
    if (several && !t.emulated.ranks_per_node)
        t.emulated.ranks_per_node = 1;
    bool one = !t.emulated.ranks_per_node || t.emulated.ranks_per_node >= t.ranks || !several;
    list_devices(&t, one ? t.ranks : t.emulated.ranks_per_node, list);
    t.engine = "cuda";
    t.devices.devices = list;
    t.emulated.wrapped_alone = 0;
    stand_in_start((stand_in_machine){.devices = t.ranks,
                                      .major = 8 + number % 2,
                                      .unequal = number % 5 == 1,
                                      .apart = number % 5 == 2,
                                      .delay_us = t.emulated.delay_us,
                                      .seed = t.seed});
    trial_run(&t);
    stand_in_end();
}

int main(void) {
    const int ranks[] = {1, 2, 3, 4, 8};
    const char *text = getenv("SECTILE_TEST_TRIALS");
    int trials = text && atoi(text) < TRIALS ? atoi(text) : TRIALS;
    uint64_t seed = check_seed(1);
    for (int i = 0; i < 5; i++) {
        covering_trials *m = covering_trials_create(ranks[i], seed + (uint64_t)i);
        trial t;
        for (int done = 0; done < trials && covering_trials_next(m, &t); done++)
            run(t, done);
        cover_count counts = covering_trials_counts(m);
        printf("%d ranks: %lld of %lld pairs\n", ranks[i], (long long)counts.pairs,
               (long long)counts.all_pairs);
        covering_trials_destroy(m);
    }
    return check_report("covering_products");
}
