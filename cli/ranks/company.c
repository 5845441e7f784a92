/* company.c - see company.h. */
#include "ranks/company.h"

#include <stdio.h>
#include <string.h>

enum { NUMBER = 16 };

/* The variables of PMIx give the number of this rank, but not how many ranks there are. */
static bool may_be_several(const sct_launcher *launcher) {
    return launcher->ranks > 1 ||
           (launcher->ranks == 0 && launcher->name && strcmp(launcher->name, "pmix") == 0);
}

static const char *number_of(const sct_launcher *launcher, char text[NUMBER]) {
    snprintf(text, NUMBER, launcher->ranks > 1 ? "%d" : "several", launcher->ranks);
    return text;
}

/* Several processes that do not find each other. */
static enum code check_found(const struct rank_group *group) {
    char number[NUMBER];
    const sct_launcher *launcher = &group->launcher;
    if (group->processes > 1 || !may_be_several(launcher))
        return CODE_DONE;
    report_error("%s says that this is one of %s processes, but it finds no other, so that each "
                 "would do all the work and write the same files; start them by the mpiexec of %s, "
                 "by srun --mpi=none, torchrun or sectile launch; or set SECTILE_LAUNCHER=none for "
                 "processes that have nothing to do with each other",
                 launcher->variable, number_of(launcher, number),
                 group->mpi ? "the MPI of this tool" : "an MPI that this tool is built for");
    return CODE_NO_ENGINE;
}

/* Several processes that have each started such a group. */
static enum code check_outer(const sct_launcher *launcher) {
    if (!launcher->outer)
        return CODE_DONE;
    report_error("%s says that this world has %d process%s, and %s that each of %d processes of "
                 "another launcher has started one, so that each world would do all the work and "
                 "write the same files; use one launcher; or start them by env -u %s where "
                 "the worlds have nothing to do with each other",
                 launcher->variable, launcher->ranks, launcher->ranks == 1 ? "" : "es",
                 launcher->outer, launcher->outer_ranks, launcher->outer);
    return CODE_NO_ENGINE;
}

enum code company_check(const struct rank_group *group) {
    enum code code = check_found(group);
    return code == CODE_DONE ? check_outer(&group->launcher) : code;
}

/* Where only WORLD_SIZE is set, and no RANK, there may be no others. */
enum code company_check_start(void) {
    char number[NUMBER];
    sct_launcher launcher = {.size = sizeof launcher};
    enum code code = report_status(sct_launcher_find(&launcher));
    if (code != CODE_DONE || launcher.rank < 0 || !may_be_several(&launcher))
        return code;
    report_error("launch: %s says that this is one of %s processes; each would start ranks of its "
                 "own, which do all the work and write the same files; either start `sectile "
                 "launch` once, or let the launcher of these processes start the ranks; or set "
                 "SECTILE_LAUNCHER=none where the ranks have nothing to do with each other",
                 launcher.variable, number_of(&launcher, number));
    return CODE_NO_ENGINE;
}
