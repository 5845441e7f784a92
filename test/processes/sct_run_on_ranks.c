/* sct_run_on_ranks.c - replaces sct_run in tests that were written for threads: each rank is a
 * process, and every process runs the whole test with its own variables.
 *
 * The argument names the path where the test chooses none, as ranks_path says.
 *
 * A world with fewer ranks than processes is on the first of them; the others only learn its
 * result. */
#include "base/status.h"
#include "processes/ranks.h"

#include <stdio.h>
#include <stdlib.h>

static sct_path path;

/* Runs before main, which does not know about processes. */
__attribute__((constructor)) static void start(int argc, char **argv) {
    ranks_start(argc, argv);
    path = ranks_path(argc > 1 ? argv[1] : "");
}

typedef struct outcome {
    int status;
    char reason[SCT_REASON_BYTES];
} outcome;

static sct_status run_here(int ranks, const sct_world_options *options, sct_main *fn, void *arg) {
    sct_world_options chosen = {.size = sizeof chosen};
    if (options)
        chosen = *options;
    if (chosen.path == SCT_PATH_AUTO)
        chosen.path = path;
    emulated_options own;
    chosen = ranks_engine(&chosen, NULL, &own);
    own.ranks_per_node = ranks_beside(own.ranks_per_node);
    sct_world *world;
    sct_status status = ranks_create_world(ranks, &chosen, &world);
    if (status)
        return status;
    int rank = sct_world_rank(world), code = fn(world, arg);
    sct_world_destroy(world);
    return code ? sct_fail(SCT_FAILED, "rank %d returned %d", rank, code) : SCT_OK;
}

sct_status __wrap_sct_run(int ranks, const sct_world_options *options, sct_main *fn, void *arg);

sct_status __wrap_sct_run(int ranks, const sct_world_options *options, sct_main *fn, void *arg) {
    int size = ranks_size();
    outcome mine = {.status = SCT_OK};
    if (ranks > size) {
        fprintf(stderr, "sct_run_on_ranks: the test needs %d processes, not %d\n", ranks, size);
        exit(1);
    }
    if (ranks_rank() < ranks)
        mine.status = (int)run_here(ranks, options, fn, arg);
    snprintf(mine.reason, sizeof mine.reason, "%s", mine.status ? sct_last_reason() : "");
    outcome *all = malloc((size_t)size * sizeof *all);
    ranks_gather(&mine, sizeof mine, all);
    sct_status status = SCT_OK;
    for (int r = 0; r < size && !status; r++)
        if (all[r].status)
            status = sct_fail((sct_status)all[r].status, "%s", all[r].reason);
    free(all);
    return status;
}
