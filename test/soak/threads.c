/* threads.c - random products of all options on threads, near and far: as many as the argument
 * says.
 */
#include "soak/soak.h"

#include "support/check.h"

int main(int argc, char **argv) {
    covering_trials *trials = covering_trials_create(0, check_seed(1));
    soak_run("threads", trials, soak_count(argc, argv), true, NULL);
    covering_trials_destroy(trials);
    return check_report("soak");
}
