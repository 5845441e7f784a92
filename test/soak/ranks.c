/* ranks.c - random products of all options on processes, with an MPI or without, near and far: as
 * many as the argument says. All ranks generate the same trials. */
#include "soak/soak.h"

#include "processes/ranks.h"
#include "support/check.h"

#include <errno.h>

/* On processes wrapped memory is never shared. */
static void adjust(trial *next) {
    next->emulated.wrapped_alone = 1;
    next->emulated.ranks_per_node = ranks_sharing_memory(next->emulated.ranks_per_node);
}

int main(int argc, char **argv) {
    covering_trials *trials = covering_trials_create(ranks_size(), check_seed(1));
    soak_run(program_invocation_short_name, trials, soak_count(argc, argv), ranks_rank() == 0,
             adjust);
    covering_trials_destroy(trials);
    return check_report("soak");
}
