/* covering.c - products of every kind on processes: the pairs of a covering array of all options,
 * then random ones. All ranks make up the same trials. With the argument "single" MPI is started
 * for one thread alone; "rma" is the path to take, else it is the service's. */
#include "support/check.h"
#include "whole/support/mix.h"

#include <sectile/sectile_mpi.h>

#include <stdio.h>
#include <string.h>

enum { RANDOM = 20 };

static sct_status run_on_mpi(int ranks, const sct_world_options *options, sct_main *fn, void *arg) {
    (void)ranks;
    sct_world *world;
    sct_status status = sct_world_create_mpi(MPI_COMM_WORLD, options, &world);
    if (status)
        return status;
    fn(world, arg);
    sct_world_destroy(world);
    return SCT_OK;
}

static void run(trial t, sct_path path) {
    t.world.wrapped_apart = 1; /* as it is, whatever is asked for */
    t.world.path = path;
    trial_run_with(run_on_mpi, &t);
}

int main(int argc, char **argv) {
    int level, ranks;
    bool single = argc > 1 && !strcmp(argv[1], "single");
    MPI_Init_thread(&argc, &argv, single ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &level);
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
    MPI_Finalize();
    return check_report("covering");
}
