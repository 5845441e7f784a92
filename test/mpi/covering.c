/* covering.c - products of every kind on processes: the pairs of a covering array of all options,
 * then random ones. All ranks make up the same trials. With the argument "rma" that is the path
 * to take, else it is the service's; "single": see on_mpi.c. */
#include "support/check.h"
#include "whole/support/mix.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { RANDOM = 20 };

static void run(trial t, sct_path path) {
    t.world.wrapped_apart = 1; /* as it is, whatever is asked for */
    t.world.path = path;
    trial_run(&t);
}

int main(int argc, char **argv) {
    int ranks;
    sct_path path = argc > 1 && !strcmp(argv[1], "rma") ? SCT_PATH_RMA : SCT_PATH_SERVICE;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    mix *m = mix_create(ranks, check_seed(1));
    cover_count counts = mix_counts(m);
    long trials = 0;
    for (trial t; counts.pairs < counts.all_pairs && mix_next(m, &t); trials++) {
        run(t, path);
        counts = mix_counts(m);
    }
    for (int i = 0; i < RANDOM; i++)
        run(mix_any(m), path);
    mix_destroy(m);
    printf("%ld trials cover %lld of %lld pairs; %d random trials\n", trials,
           (long long)counts.pairs, (long long)counts.all_pairs, RANDOM);
    return check_report("covering");
}
