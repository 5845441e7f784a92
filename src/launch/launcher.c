/* launcher.c - see launcher.h. */
#include "launch/launcher.h"

#include "base/setting.h"
#include "base/status.h"
#include "launch/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char sct_launcher_sectile[] = "sectile launch", sct_launcher_slurm[] = "slurm";

/* MPICH's mpiexec may close the descriptor of PMI, and a Slurm without PMI has none. */
static sct_status meet_by_pmi(const sct_launcher *launcher, sct_rendezvous *rendezvous) {
    return sct_pmi_is_open() ? sct_pmi_meet(launcher, rendezvous)
                             : sct_slurm_meet(launcher, rendezvous);
}

/* The innermost launcher counts, and variables of outer ones remain. So the order is from those
 * that are started by others to those that start others; `sectile launch` removes the variables of
 * those before it. torchrun sets TORCHELASTIC_RUN_ID; its other variables, which users and
 * Kubernetes set as well, may belong to a launcher that starts mpiexec. */
static const sct_launcher_kind kinds[] = {
    {"torchrun", "TORCHELASTIC_RUN_ID", "RANK", "WORLD_SIZE", "GROUP_WORLD_SIZE", sct_torch_meet},
    {"openmpi", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, NULL},
    {"pmi", "PMI_RANK", "PMI_RANK", "PMI_SIZE", NULL, meet_by_pmi},
    {"pmi", "PMI_SIZE", "PMI_RANK", "PMI_SIZE", NULL, meet_by_pmi},
    {"pmi", "PMI_PORT", "PMI_ID", NULL, NULL, NULL}, /* mpiexec -pmi-port */
    {"pmix", "PMIX_RANK", "PMIX_RANK", NULL, NULL, sct_slurm_meet},
    {sct_launcher_sectile, "SECTILE_LAUNCHER", "SECTILE_RANK", "SECTILE_RANKS", NULL, NULL},
    {sct_launcher_sectile, "SECTILE_RANK", "SECTILE_RANK", "SECTILE_RANKS", NULL, NULL},
    {sct_launcher_sectile, "SECTILE_RANKS", "SECTILE_RANK", "SECTILE_RANKS", NULL, NULL},
    {"torchrun", "WORLD_SIZE", "RANK", "WORLD_SIZE", NULL, sct_torch_meet},
    {"flux", "FLUX_JOB_SIZE", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", NULL, NULL},
    {"mvapich", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", NULL, NULL},
    {"jsrun", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", NULL, NULL},
    {"pals", "PALS_RANKID", "PALS_RANKID", NULL, NULL, NULL}, /* Cray's, which Flux may imitate */
    {sct_launcher_slurm, "SLURM_PROCID", "SLURM_PROCID", NULL, NULL, sct_slurm_meet},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool is_by_pmix(const sct_launcher_kind *kind) {
    return strcmp(kind->sign, "PMIX_RANK") == 0;
}

/* Open MPI sets PMIX_RANK itself in a process that no launcher has started. */
static bool is_singleton(void) {
    const char *environment = getenv("OMPI_MCA_ess");
    return environment && strcmp(environment, "singleton") == 0;
}

/* Whether the environment with which this process began had a variable that begins so. What the
 * process has set since is not there. */
static bool began_with(const char *variable) {
    FILE *file = fopen("/proc/self/environ", "r");
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    while (file && !found && getdelim(&line, &room, '\0', file) > 0)
        found = strncmp(line, variable, strlen(variable)) == 0;
    free(line);
    if (file)
        fclose(file);
    return found;
}

/* Slurm names the job and the step in the namespace of PMIx, which a shell that `srun --mpi=pmix`
 * has started leaves to the steps that are started from it. */
static bool is_of_other_step(void) {
    const char *space = getenv("PMIX_NAMESPACE"), *job = getenv("SLURM_JOB_ID");
    const char *step = getenv("SLURM_STEP_ID");
    char own[80];
    snprintf(own, sizeof own, "slurm.pmix.%s.%s", job ? job : "", step ? step : "");
    return space && step && strncmp(space, "slurm.pmix.", 11) == 0 && strcmp(space, own) != 0;
}

static bool is_empty(const char *variable) {
    const char *text = variable ? getenv(variable) : NULL;
    return !text || text[0] == '\0';
}

/* Users unset variables by making them empty. */
static bool is_unset(const sct_launcher_kind *kind) {
    return is_empty(kind->sign) && is_empty(kind->rank) && is_empty(kind->ranks);
}

/* Slurm sets SLURM_PROCID in a batch script, too, and the variables of PMI in a shell that is the
 * only task of a step, where the user starts programs that are ranks of nothing. */
static bool has_started(const sct_launcher_kind *kind) {
    const char *sign = getenv(kind->sign);
    bool by_user = strcmp(kind->sign, "SECTILE_LAUNCHER") == 0;
    if (!sign || is_unset(kind) || (by_user && sign[0] == '\0') ||
        (is_by_pmix(kind) && (is_singleton() || is_of_other_step())))
        return false;
    if (kind->name == sct_launcher_slurm)
        return sct_slurm_tasks() > 0;
    const char *ranks = kind->ranks ? getenv(kind->ranks) : NULL;
    bool by_slurm = kind->meet == meet_by_pmi || kind->meet == sct_slurm_meet;
    return !by_slurm || sct_slurm_tasks() != 1 || (ranks && strcmp(ranks, "1") != 0);
}

/* How many processes there are, as the launcher says; 0: it does not. */
static int64_t count_of(const sct_launcher_kind *kind) {
    int64_t ranks = kind->meet ? sct_slurm_tasks() : 0;
    if (kind->ranks)
        (void)sct_setting(kind->ranks, 1, INT32_MAX, 0, &ranks);
    return ranks;
}

/* Whether this process has an open connection to an mpiexec of MPICH. Open MPI's mpiexec closes
 * such connections in the processes that it starts, so that MPICH is the inner launcher where one
 * is open. */
static bool is_connected(const sct_launcher_kind *kind) {
    return kind->meet == meet_by_pmi && sct_pmi_is_open();
}

/* One process of torchrun or PMI in several of another launcher: its variables may be left from an
 * earlier shell, or the other launcher may be the inner one. Each process would do the work of all.
 */
static bool yields_to(const sct_launcher_kind *inner, const sct_launcher_kind *outer) {
    bool by_openmpi = strcmp(inner->name, "openmpi") == 0;
    return (inner->meet && count_of(inner) == 1 && count_of(outer) > 1) ||
           (by_openmpi && is_connected(outer));
}

/* The rank in a variable; -1: none. */
static int64_t rank_of(const sct_launcher_kind *kind) {
    int64_t rank;
    (void)sct_setting(kind->rank, 0, INT32_MAX - 1, -1, &rank);
    return rank;
}

/* Whether it may set the variables of PMI, of PMIx or of Open MPI, too. */
static bool offers_pmi(const sct_launcher_kind *kind) {
    static const char *const names[] = {"slurm", "flux", "mvapich", "jsrun"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(kind->name, names[i]) == 0)
            return true;
    return false;
}

/* Whether two kinds are of one launcher: some set the variables of others, too, and Open MPI those
 * of PMIx. */
static bool is_same(const sct_launcher_kind *kind, const sct_launcher_kind *other) {
    bool by_pmi = offers_pmi(other) || offers_pmi(kind);
    bool by_openmpi = is_by_pmix(kind) && strcmp(other->name, "openmpi") == 0;
    return strcmp(kind->name, other->name) == 0 || by_openmpi ||
           (by_pmi && rank_of(kind) == rank_of(other) && count_of(kind) == count_of(other));
}

static bool is_one_per_node(const sct_launcher_kind *kind) {
    int64_t nodes = -1;
    if (strcmp(kind->name, "flux") == 0)
        (void)sct_setting("FLUX_JOB_NNODES", 1, INT32_MAX, -1, &nodes);
    return nodes == count_of(kind) ||
           (kind->name == sct_launcher_slurm && sct_slurm_is_one_per_node());
}

/* Whether the processes of one launcher serve another as agents, which start the ranks of one world
 * together. mpiexec starts such agents by srun, one on each node. */
static bool are_agents(const sct_launcher_kind *outer, const sct_launcher_kind *inner) {
    int64_t agents = -1;
    if (inner->agents)
        (void)sct_setting(inner->agents, 1, INT32_MAX, -1, &agents);
    return agents == count_of(outer) || (!inner->agents && is_one_per_node(outer));
}

/* WORLD_SIZE without torchrun is the user's own choice. */
static bool is_set_by_user(const sct_launcher_kind *kind) {
    return kind->meet == sct_torch_meet && !kind->agents;
}

/* Whether each of several processes of a launcher has started a world by another. `sectile launch`
 * itself does not start then. A single process is a world, too, if it can only meet by its MPI, or
 * its mpiexec is there. */
static bool is_around(const sct_launcher_kind *outer, const sct_launcher_kind *inner) {
    return !is_set_by_user(outer) && !is_set_by_user(inner) &&
           inner->name != sct_launcher_sectile && rank_of(outer) >= 0 && count_of(outer) > 1 &&
           (count_of(inner) > 1 || !inner->meet || is_connected(inner)) && !is_same(outer, inner) &&
           !are_agents(outer, inner);
}

/* Slurm by its variables of PMI. It is looked at by its own, which say more. */
static bool is_slurm_itself(const sct_launcher_kind *kind) {
    const sct_launcher_kind *slurm = &kinds[KINDS - 1];
    return kind != slurm && has_started(slurm) && is_same(kind, slurm);
}

static const sct_launcher_kind *find_outer(const sct_launcher_kind *inner) {
    for (const sct_launcher_kind *kind = kinds; kind < kinds + KINDS; kind++)
        if (has_started(kind) && !is_slurm_itself(kind) && is_around(kind, inner))
            return kind;
    return NULL;
}

static bool is_none_chosen(void) {
    const char *chosen = getenv("SECTILE_LAUNCHER");
    return chosen && strcasecmp(chosen, "none") == 0;
}

bool sct_launcher_is_lost(void) {
    return !is_none_chosen() && is_singleton() && !began_with("OMPI_MCA_ess=") &&
           began_with("PMIX_RANK=");
}

static const sct_launcher_kind *find_kind(void) {
    const sct_launcher_kind *found = NULL;
    for (int i = 0; i < KINDS; i++)
        if (has_started(&kinds[i]) && (!found || yields_to(found, &kinds[i])))
            found = &kinds[i];
    return found;
}

/* The variable that says how many ranks there are. */
static const char *counting_variable(const sct_launcher_kind *kind, int64_t ranks) {
    if (kind->ranks && ranks > 0)
        return kind->ranks;
    if (ranks == 0)
        return kind->rank;
    return getenv("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
}

/* One of two variables that is empty is wrong. */
static sct_status read_number(const char *variable, const char *other, int64_t least, int64_t most,
                              int64_t usual, int64_t *number) {
    const char *text = getenv(variable);
    if (text && text[0] == '\0')
        return sct_fail(SCT_BAD_ARGUMENT, "%s is empty, but %s is %.40s", variable, other,
                        is_empty(other) ? "not" : getenv(other));
    return sct_setting(variable, least, most, usual, number);
}

/* A RANK alone may be anything of the user's. */
static bool may_be_foreign(const sct_launcher_kind *kind) {
    return kind->meet == sct_torch_meet && is_empty(kind->ranks);
}

/* A number that cannot be read would be one that is not there, and a process of several would work
 * alone. */
static sct_status check_numbers(void) {
    int64_t ignored;
    sct_status status = sct_slurm_check();
    for (const sct_launcher_kind *kind = kinds; kind < kinds + KINDS && !status; kind++) {
        if (may_be_foreign(kind))
            continue;
        status = sct_setting(kind->rank, 0, INT32_MAX - 1, -1, &ignored);
        if (!status && kind->ranks)
            status = sct_setting(kind->ranks, 1, INT32_MAX, 0, &ignored);
    }
    return status;
}

sct_status sct_launcher_recognise(sct_launcher *launcher, const sct_launcher_kind **kind) {
    *launcher = (sct_launcher){.size = sizeof *launcher, .rank = -1};
    *kind = NULL;
    if (is_none_chosen())
        return SCT_OK;
    sct_status status = check_numbers();
    if (!status)
        *kind = find_kind();
    if (!*kind)
        return status;
    int64_t rank, ranks = (*kind)->meet ? sct_slurm_tasks() : 0;
    status = read_number((*kind)->rank, (*kind)->ranks ? (*kind)->ranks : (*kind)->sign, 0,
                         INT32_MAX - 1, -1, &rank);
    if (!status && (*kind)->ranks)
        status = read_number((*kind)->ranks, (*kind)->rank, 1, INT32_MAX, 0, &ranks);
    if (status)
        return status;
    launcher->name = (*kind)->name;
    launcher->variable = counting_variable(*kind, ranks);
    launcher->rank = (int)rank;
    /* a rank other than 0 is not alone */
    launcher->ranks = (int)(ranks > 0 || rank <= 0 ? ranks : rank + 1);
    const sct_launcher_kind *outer = find_outer(*kind);
    launcher->outer = outer ? outer->rank : NULL;
    launcher->outer_ranks = outer ? (int)count_of(outer) : 0;
    if (rank < launcher->ranks || ranks == 0)
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT, "%s: '%d' is not a rank of %d", (*kind)->rank, (int)rank,
                    (int)ranks);
}

sct_status sct_launcher_find(sct_launcher *launcher) {
    const sct_launcher_kind *kind;
    sct_launcher found = {.size = 0};
    sct_status status = sct_check_output("launcher", launcher);
    if (!status)
        status = sct_check_size("launcher", launcher->size, sizeof *launcher, sizeof *launcher);
    if (!status)
        status = sct_launcher_recognise(&found, &kind);
    if (!status)
        *launcher = found;
    return status;
}
