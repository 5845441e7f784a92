/* rank_count.c - resolves the engine and the number of ranks: one rule for all verbs. */
#include "ranks/rank_count.h"

#include "args/flags.h"
#include "args/problem.h"
#include "args/verbs.h"
#include "ranks/cpu_affinity.h"
#include "ranks/modules.h"
#include "ranks/rank_group.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Other processes ---- */

enum { NUMBER = 16 };

/* The variables of PMIx and of PALS give the number of this rank, but not how many ranks there are.
 */
static bool may_be_several(const sct_launcher *launcher) {
    const char *name = launcher->name ? launcher->name : "";
    return launcher->ranks > 1 ||
           (launcher->ranks == 0 && (strcmp(name, "pmix") == 0 || strcmp(name, "pals") == 0));
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

/* For a group of ranks. */
static enum code company_check(struct rank_group *group) {
    enum code code = rank_group_need(group);
    if (code == CODE_DONE)
        code = check_found(group);
    return code == CODE_DONE ? check_outer(&group->launcher) : code;
}

/* Where only WORLD_SIZE is set, and no RANK, there may be no others. */
enum code company_check_start(void) {
    char number[NUMBER];
    sct_launcher launcher = {.size = sizeof launcher};
    enum code code = launcher_find(&launcher);
    if (code != CODE_DONE || launcher.rank < 0 || !may_be_several(&launcher))
        return code;
    report_error("launch: %s says that this is one of %s processes; each would start ranks of its "
                 "own, which do all the work and write the same files; either start `sectile "
                 "launch` once, or let the launcher of these processes start the ranks; or set "
                 "SECTILE_LAUNCHER=none where the ranks have nothing to do with each other",
                 launcher.variable, number_of(&launcher, number));
    return CODE_NO_ENGINE;
}

/* ---- The number of ranks ---- */

/* The default of verbs that plan, and of ranks with devices. */
enum { RANKS = 4 };

/* Rank 0 reads the machine for all processes: other hosts may not have the file, and a pipe can be
 * read only once. */
static enum code share_machine(const struct args *args, const sct_machine **machine) {
    char *text = NULL;
    enum code code = CODE_DONE;
    if (rank_group_leads(args->group))
        code = problem_machine(args, machine);
    if (code == CODE_DONE && *machine)
        code = problem_machine_text(*machine, &text);
    code = rank_group_spread_text(args->group, code, &text);
    if (code == CODE_DONE && text && !*args->loaded)
        code = report_status(sct_machine_parse(text, args->machine, args->loaded));
    free(text);
    return code == CODE_DONE ? problem_machine(args, machine) : code;
}

static const char *launcher(const struct args *args) {
    return rank_group_is_launched(args->group) ? args->group->launcher.name : "mpiexec";
}

/* Verbs that plan take the number of ranks from the machine. Those that move data run where they
 * are: on the processes that were started, or on the cores, which a machine can have fewer of.
 * A single process that a launcher has started may have several ranks with devices, as threads. By
 * default it has one, like each of several processes. */
static int64_t default_ranks(enum verb verb, const struct args *args, const sct_machine *machine) {
    bool plans = verbs_without_ranks(verb, args);
    int most = machine ? sct_machine_ranks(machine) : 0;
    bool counted = args->group->mpi && !args_computes_on_host(args);
    int ranks = args_computes_on_host(args) ? cpu_affinity_cores() : RANKS;
    if (plans && most > 0)
        return most;
    if (counted || rank_group_by_processes(args))
        return args->group->processes;
    if (plans)
        return RANKS;
    if (verb == VERB_MACHINE && ranks < 2) /* measuring links needs two */
        return 2;
    return most > 0 && most < ranks ? most : ranks;
}

static enum code check(const struct args *args, bool started, const sct_machine *machine) {
    int most = machine ? sct_machine_ranks(machine) : 0;
    if (started && args->ranks != args->group->processes)
        report_error("--ranks: '%" PRId64 "' is not allowed; allowed: %d, the number of processes "
                     "that %s has started",
                     args->ranks, args->group->processes, launcher(args));
    else if (most > 0 && args->ranks > most)
        report_error("--ranks: %" PRId64 " is more than the %d rank%s of %s", args->ranks, most,
                     most == 1 ? "" : "s", sct_machine_name(machine));
    else
        return CODE_DONE;
    return CODE_USAGE;
}

static enum code find_ranks(enum verb verb, struct args *args) {
    const sct_machine *machine = NULL;
    enum code code = share_machine(args, &machine);
    /* Verbs that run on the ranks need as many as were started; others may plan for any number.
     */
    bool started = rank_group_by_processes(args) && !verbs_without_ranks(verb, args);
    if (code != CODE_DONE)
        return code;
    if (args->ranks == 0)
        args->ranks = default_ranks(verb, args, machine);
    return check(args, started, machine);
}

static enum code check_rank(const struct args *args) {
    if (args->rank < args->ranks)
        return CODE_DONE;
    report_error("--rank: '%" PRId64 "' is not allowed; allowed: 0 to %" PRId64
                 ", as ranks count from 0",
                 args->rank, args->ranks - 1);
    return CODE_USAGE;
}

/* Resolves the engine, and starts MPI if that is it. Fails if the engine is not available. */
static enum code find_engine(struct args *args) {
    struct rank_group *group = args->group;
    bool launched = rank_group_is_launched(group);
    if (args->engine == ENGINE_AUTO)
        args->engine = launched ? ENGINE_PROCESSES : group->mpi ? ENGINE_MPI : ENGINE_THREADS;
    if (args->engine == ENGINE_PROCESSES && launched)
        return CODE_DONE;
    if (args->engine == ENGINE_PROCESSES && group->mpi) {
        report_error("--engine: 'processes' is not allowed under %s; allowed: mpi", launcher(args));
        return CODE_USAGE;
    }
    if (args->engine == ENGINE_PROCESSES) {
        report_error("--engine: 'processes' needs sectile launch, or another launcher without MPI, "
                     "which starts them");
        return CODE_NO_ENGINE;
    }
    if (args->engine == ENGINE_MPI && !launched)
        return rank_group_join(group);
    if (args->engine == ENGINE_MPI) {
        report_error("--engine: 'mpi' is not allowed under %s; allowed: processes", launcher(args));
        return CODE_USAGE;
    }
    if (group->processes == 1 || !args_computes_on_host(args))
        return CODE_DONE;
    report_error("--engine: '%s' is not allowed under %s: each of its %d processes would do "
                 "all the work; allowed: %s, or an engine with devices",
                 rank_group_engine(args), launcher(args), group->processes,
                 launched ? "processes" : "mpi");
    return CODE_USAGE;
}

enum code ranks_resolve(enum verb verb, struct args *args) {
    enum code code = verbs_without_ranks(verb, args) ? CODE_DONE : company_check(args->group);
    if (code == CODE_DONE)
        code = find_engine(args);
    if (code == CODE_DONE)
        code = find_ranks(verb, args);
    if (code == CODE_DONE)
        code = check_rank(args);
    return code == CODE_DONE ? flag_rules_check(verb, args) : code;
}
