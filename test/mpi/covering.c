/* covering.c - products of every kind on processes: the pairs of a covering array of all options,
 * then random ones. All ranks make up the same trials. */
#include "mpi/reach.h"
#include "support/check.h"
#include "whole/support/mix.h"

#include <mpi.h>
#include <stdio.h>

enum { RANDOM = 20 };

static void run(trial t) {
    t.world.wrapped_apart = 1; /* as it is, whatever is asked for */
    t.world.ranks_per_node = reach_of(t.world.ranks_per_node);
    trial_run(&t);
}

int main(void) {
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    mix *m = mix_create(ranks, check_seed(1));
    cover_count counts = mix_counts(m);
    long trials = 0;
    for (trial t; counts.pairs < counts.all_pairs && mix_next(m, &t); trials++) {
        run(t);
        counts = mix_counts(m);
    }
    for (int i = 0; i < RANDOM; i++)
        run(mix_any(m));
    mix_destroy(m);
    printf("%ld trials cover %lld of %lld pairs; %d random trials\n", trials,
           (long long)counts.pairs, (long long)counts.all_pairs, RANDOM);
    return check_report("covering");
}
