/* launcher.c - what has started a process, as its environment says: each launcher with what it
 * sets, launchers in launchers, and values that make no sense. */
#include "launch/launcher.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *const variables[] = {"TORCHELASTIC_RUN_ID",
                                        "RANK",
                                        "WORLD_SIZE",
                                        "OMPI_COMM_WORLD_SIZE",
                                        "OMPI_COMM_WORLD_RANK",
                                        "PMI_RANK",
                                        "PMI_SIZE",
                                        "PMI_FD",
                                        "PMI_PORT",
                                        "PMI_ID",
                                        "PMIX_RANK",
                                        "PMIX_NAMESPACE",
                                        "OMPI_MCA_ess",
                                        "SECTILE_LAUNCHER",
                                        "SECTILE_RANK",
                                        "SECTILE_RANKS",
                                        "SLURM_PROCID",
                                        "SLURM_NTASKS",
                                        "SLURM_JOB_ID",
                                        "SLURM_STEP_ID",
                                        "SLURM_STEP_NODELIST",
                                        "SLURM_STEP_NUM_NODES",
                                        "SLURM_STEP_NUM_TASKS",
                                        "GROUP_WORLD_SIZE",
                                        "FLUX_JOB_SIZE",
                                        "FLUX_TASK_RANK",
                                        "FLUX_JOB_NNODES",
                                        "MV2_COMM_WORLD_RANK",
                                        "MV2_COMM_WORLD_SIZE",
                                        "JSM_NAMESPACE_RANK",
                                        "JSM_NAMESPACE_SIZE",
                                        "PALS_RANKID"};

/* Sets the variables of "NAME=VALUE NAME=VALUE", and no others of launchers. */
static void set(const char *words) {
    char text[400], *rest;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    snprintf(text, sizeof text, "%s", words);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value = '\0';
        setenv(word, value + 1, 1);
    }
}

#define STEP "SLURM_STEP_ID=0 SLURM_STEP_NODELIST=n[1-2] SLURM_NTASKS=4 "
#define ALONE "SLURM_PROCID=0 SLURM_STEP_ID=0 SLURM_STEP_NODELIST=n1 SLURM_STEP_NUM_TASKS=1 "
#define SHELL "SLURM_PROCID=0 SLURM_STEP_ID=4294967290 SLURM_STEP_NODELIST=n1 SLURM_NTASKS=8 "
#define FLUX "FLUX_JOB_SIZE=4 FLUX_TASK_RANK=3 "
#define MVAPICH "MV2_COMM_WORLD_RANK=1 MV2_COMM_WORLD_SIZE=2 "
#define JSRUN "JSM_NAMESPACE_RANK=1 JSM_NAMESPACE_SIZE=4 "
#define TORCH "TORCHELASTIC_RUN_ID=none RANK=2 WORLD_SIZE=3 "

static void recognise(void) {
    static const struct {
        const char *environment, *name;
        int rank, ranks;
        const char *variable;
    } cases[] = {
        {"", NULL, -1, 0, NULL},
        {TORCH, "torchrun", 2, 3, "WORLD_SIZE"},
        {"RANK=0 WORLD_SIZE=8", "torchrun", 0, 8, "WORLD_SIZE"},
        {"WORLD_SIZE=8", "torchrun", -1, 8, "WORLD_SIZE"},
        {"RANK=3", NULL, -1, 0, NULL},
        {"RANK=abc", NULL, -1, 0, NULL},
        {"WORLD_SIZE= RANK=", NULL, -1, 0, NULL},
        {"WORLD_SIZE=", NULL, -1, 0, NULL},
        {"PMI_SIZE= PMI_RANK=", NULL, -1, 0, NULL},
        {"OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=3 PMIX_RANK=3", "openmpi", 3, 4,
         "OMPI_COMM_WORLD_SIZE"},
        {"PMI_RANK=1 PMI_SIZE=2", "pmi", 1, 2, "PMI_SIZE"},
        {"PMI_RANK=1", "pmi", 1, 2, "PMI_RANK"},
        {"PMI_RANK=0", "pmi", 0, 0, "PMI_RANK"},
        {"PMI_SIZE=4", "pmi", -1, 4, "PMI_SIZE"},
        {"PMI_PORT=node:4711 PMI_ID=1", "pmi", 1, 2, "PMI_ID"},
        {ALONE "PMI_PORT=node:4711 PMI_ID=2", "pmi", 2, 3, "PMI_ID"},
        {"PMIX_RANK=0", "pmix", 0, 0, "PMIX_RANK"},
        {"PMIX_RANK=2", "pmix", 2, 3, "PMIX_RANK"},
        {"PMIX_RANK=0 OMPI_MCA_ess=singleton", NULL, -1, 0, NULL},
        {"PMIX_RANK=0 OMPI_MCA_ess=singleton RANK=1 WORLD_SIZE=2", "torchrun", 1, 2, "WORLD_SIZE"},
        {"PMIX_RANK=0 OMPI_MCA_ess=pmi", "pmix", 0, 0, "PMIX_RANK"},
        {"SECTILE_LAUNCHER=3 SECTILE_RANK=0 SECTILE_RANKS=2", "sectile launch", 0, 2,
         "SECTILE_RANKS"},
        {"SECTILE_RANKS=2", "sectile launch", -1, 2, "SECTILE_RANKS"},
        /* Slurm: a step, with PMI of several kinds, or with none */
        {STEP "SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=4", "slurm", 3, 4, "SLURM_STEP_NUM_TASKS"},
        {STEP "SLURM_PROCID=0", "slurm", 0, 4, "SLURM_NTASKS"},
        {"SLURM_PROCID=3 SLURM_NTASKS=8", "slurm", 3, 8, "SLURM_NTASKS"},
        {STEP "SLURM_PROCID=3 PMIX_RANK=3", "pmix", 3, 4, "SLURM_NTASKS"},
        {STEP "SLURM_PROCID=3 PMI_RANK=3 PMI_SIZE=4", "pmi", 3, 4, "PMI_SIZE"},
        /* a step that asks for fewer than the job; one that is a task, and starts ranks itself */
        {STEP "SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2", "slurm", 1, 2, "SLURM_STEP_NUM_TASKS"},
        {ALONE "SLURM_NTASKS=8", "slurm", 0, 1, "SLURM_STEP_NUM_TASKS"},
        {ALONE "PMIX_RANK=0", "slurm", 0, 1, "SLURM_STEP_NUM_TASKS"},
        {ALONE "PMI_RANK=0 PMI_SIZE=1", "slurm", 0, 1, "SLURM_STEP_NUM_TASKS"},
        {ALONE "PMI_RANK=0 PMI_SIZE=3", "pmi", 0, 3, "PMI_SIZE"},
        /* a batch script, and the shell of an allocation, run one process */
        {"SLURM_PROCID=0 SLURM_NTASKS=8", NULL, -1, 0, NULL},
        {"SLURM_NTASKS=8", NULL, -1, 0, NULL},
        {SHELL, "slurm", 0, 1, "SLURM_NTASKS"},
        {SHELL "PMIX_RANK=0 SLURM_STEP_NUM_TASKS=1", "slurm", 0, 1, "SLURM_STEP_NUM_TASKS"},
        /* one in another */
        {STEP "SLURM_PROCID=0 PMI_RANK=0 PMI_SIZE=4 " TORCH, "torchrun", 2, 3, "WORLD_SIZE"},
        {STEP "SLURM_PROCID=0 RANK=1 WORLD_SIZE=2", "torchrun", 1, 2, "WORLD_SIZE"},
        {"RANK=0 WORLD_SIZE=2 PMI_RANK=3 PMI_SIZE=4", "pmi", 3, 4, "PMI_SIZE"},
        {STEP "SLURM_PROCID=0 OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0", "openmpi", 0, 1,
         "OMPI_COMM_WORLD_SIZE"},
        {ALONE "SECTILE_LAUNCHER=3 SECTILE_RANK=1 SECTILE_RANKS=2", "sectile launch", 1, 2,
         "SECTILE_RANKS"},
        {"SECTILE_LAUNCHER=3 SECTILE_RANK=1 SECTILE_RANKS=2 PMI_RANK=3 PMI_SIZE=4", "pmi", 3, 4,
         "PMI_SIZE"},
        /* one process in several, or what an earlier shell has left */
        {STEP "SLURM_PROCID=3 RANK=0 WORLD_SIZE=1", "slurm", 3, 4, "SLURM_NTASKS"},
        {STEP "SLURM_PROCID=3 PMI_RANK=0 PMI_SIZE=1", "slurm", 3, 4, "SLURM_NTASKS"},
        {"TORCHELASTIC_RUN_ID=none RANK=0 WORLD_SIZE=1 PMI_RANK=1 PMI_SIZE=2", "pmi", 1, 2,
         "PMI_SIZE"},
        {ALONE "RANK=0 WORLD_SIZE=1", "torchrun", 0, 1, "WORLD_SIZE"},
        {"SECTILE_LAUNCHER=3 SECTILE_RANK=0 SECTILE_RANKS=1 RANK=0 WORLD_SIZE=2", "sectile launch",
         0, 1, "SECTILE_RANKS"},
        {STEP "SLURM_JOB_ID=7 SLURM_PROCID=3 PMIX_RANK=3 PMIX_NAMESPACE=slurm.pmix.7.0", "pmix", 3,
         4, "SLURM_NTASKS"},
        {STEP "SLURM_JOB_ID=7 SLURM_PROCID=3 PMIX_RANK=0 PMIX_NAMESPACE=slurm.pmix.7.1", "slurm", 3,
         4, "SLURM_NTASKS"},
        {STEP "SLURM_JOB_ID=7 SLURM_PROCID=0 PMIX_RANK=0 PMIX_NAMESPACE=slurm.pmix.6.0", "slurm", 0,
         4, "SLURM_NTASKS"},
        {STEP "SLURM_JOB_ID=7 SLURM_PROCID=0 PMIX_RANK=2 PMIX_NAMESPACE=prterun-n1-9@1", "pmix", 2,
         4, "SLURM_NTASKS"},
        /* those that set the variables of PMI or PMIx as well, unless they are told not to */
        {FLUX, "flux", 3, 4, "FLUX_JOB_SIZE"},
        {FLUX "PALS_RANKID=3", "flux", 3, 4, "FLUX_JOB_SIZE"},
        {FLUX "PMI_RANK=3 PMI_SIZE=4", "pmi", 3, 4, "PMI_SIZE"},
        {FLUX "PMI_RANK=0 PMI_SIZE=1", "flux", 3, 4, "FLUX_JOB_SIZE"},
        {FLUX TORCH, "torchrun", 2, 3, "WORLD_SIZE"},
        {FLUX "PALS_RANKID=3 SECTILE_LAUNCHER=3 SECTILE_RANK=1 SECTILE_RANKS=2", "sectile launch",
         1, 2, "SECTILE_RANKS"},
        {FLUX STEP "SLURM_PROCID=0", "flux", 3, 4, "FLUX_JOB_SIZE"},
        {"FLUX_JOB_SIZE=1 FLUX_TASK_RANK=0", "flux", 0, 1, "FLUX_JOB_SIZE"},
        {"PALS_RANKID=0", "pals", 0, 0, "PALS_RANKID"},
        {MVAPICH, "mvapich", 1, 2, "MV2_COMM_WORLD_SIZE"},
        {MVAPICH "PMI_RANK=1 PMI_SIZE=2", "pmi", 1, 2, "PMI_SIZE"},
        {JSRUN, "jsrun", 1, 4, "JSM_NAMESPACE_SIZE"},
        {JSRUN "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 PMIX_RANK=1", "openmpi", 1, 4,
         "OMPI_COMM_WORLD_SIZE"},
        {"PALS_RANKID=5", "pals", 5, 6, "PALS_RANKID"},
        {"PALS_RANKID=5 PMI_RANK=5 PMI_SIZE=8", "pmi", 5, 8, "PMI_SIZE"},
        {"SECTILE_LAUNCHER=", NULL, -1, 0, NULL},
        {"SECTILE_LAUNCHER=none RANK=abc SLURM_NTASKS=abc", NULL, -1, 0, NULL},
        {"SECTILE_LAUNCHER=None " TORCH, NULL, -1, 0, NULL},
        {"SECTILE_LAUNCHER=NONE OMPI_COMM_WORLD_SIZE=4", NULL, -1, 0, NULL},
        {"SECTILE_LAUNCHER=none " TORCH, NULL, -1, 0, NULL},
        {"SECTILE_LAUNCHER=none OMPI_COMM_WORLD_SIZE=4", NULL, -1, 0, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sct_launcher found = {.size = sizeof found};
        set(cases[i].environment);
        sct_status status = sct_launcher_find(&found);
        bool named = cases[i].name ? found.name && strcmp(found.name, cases[i].name) == 0 &&
                                         strcmp(found.variable, cases[i].variable) == 0
                                   : !found.name;
        CHECK_CASE(status == SCT_OK && named && found.rank == cases[i].rank &&
                       found.ranks == cases[i].ranks,
                   "%s: %s: rank %d of %d, by %s", cases[i].environment,
                   found.name ? found.name : "none", found.rank, found.ranks,
                   found.variable ? found.variable : "none");
    }
}

/* Several processes of a launcher that each start a world. */
static void nested(void) {
#define NODES "SLURM_STEP_NUM_NODES=4 "
#define NODE "SLURM_STEP_NUM_NODES=2 "
#define PMI "PMI_RANK=3 PMI_SIZE=8 "
#define SECTILE "SECTILE_LAUNCHER=3 SECTILE_RANK=1 SECTILE_RANKS=2 "
#define AGENT "TORCHELASTIC_RUN_ID=none RANK=2 WORLD_SIZE=8 "
    static const struct {
        const char *environment, *outer;
        int ranks;
    } cases[] = {
        {"", NULL, 0},
        {PMI SECTILE, "SECTILE_RANK", 2},
        {PMI "OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=3 ", "PMI_RANK", 8},
        {PMI "OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0", "PMI_RANK", 8},
        {SECTILE "OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0", "SECTILE_RANK", 2},
        {STEP NODES "SLURM_PROCID=3 OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0", NULL, 0},
        {ALONE "OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0", NULL, 0},
        {AGENT "GROUP_WORLD_SIZE=2 " SECTILE, NULL, 0},
        {AGENT "GROUP_WORLD_SIZE=1 " SECTILE, "SECTILE_RANK", 2},
        {AGENT "GROUP_WORLD_SIZE=1 " PMI, "PMI_RANK", 8},
        {AGENT "GROUP_WORLD_SIZE=1 " STEP NODES "SLURM_PROCID=1", "SLURM_PROCID", 4},
        {AGENT "GROUP_WORLD_SIZE=4 " STEP NODES "SLURM_PROCID=1", NULL, 0},
        {AGENT "GROUP_WORLD_SIZE=1 " ALONE, NULL, 0},
        /* tasks that start ranks, agents of mpiexec, and PMI by Slurm itself */
        {PMI STEP NODE "SLURM_PROCID=1", "SLURM_PROCID", 4},
        {PMI STEP NODES "SLURM_PROCID=1", NULL, 0},
        {PMI STEP "SLURM_PROCID=1", NULL, 0},
        {STEP NODE "SLURM_PROCID=3 PMI_RANK=3 PMI_SIZE=4", NULL, 0},
        {STEP NODE "SLURM_PROCID=3 PMIX_RANK=3", NULL, 0},
        {"OMPI_COMM_WORLD_SIZE=8 OMPI_COMM_WORLD_RANK=5 PMI_RANK=3 PMI_SIZE=4 " STEP NODES
         "SLURM_PROCID=3",
         NULL, 0},
        {FLUX "PMI_RANK=3 PMI_SIZE=4", NULL, 0},
        {MVAPICH "PMI_RANK=1 PMI_SIZE=2", NULL, 0},
        {JSRUN "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 PMIX_RANK=1", NULL, 0},
        {JSRUN "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2", "JSM_NAMESPACE_RANK", 4},
        {FLUX "PMI_RANK=1 PMI_SIZE=2", "FLUX_TASK_RANK", 4},
        {FLUX "FLUX_JOB_NNODES=4 PMI_RANK=7 PMI_SIZE=32", NULL, 0},
        {FLUX "FLUX_JOB_NNODES=2 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1", "FLUX_TASK_RANK",
         4},
        /* what users set, and one process of another */
        {PMI "RANK=1 WORLD_SIZE=2", NULL, 0},
        {STEP NODE "SLURM_PROCID=3 RANK=1 WORLD_SIZE=2", NULL, 0},
        {PMI "SECTILE_LAUNCHER=3 SECTILE_RANK=0 SECTILE_RANKS=1", NULL, 0},
        {PMI "SECTILE_LAUNCHER=3 SECTILE_RANKS=2", NULL, 0},
        {SECTILE STEP NODE "SLURM_PROCID=3", NULL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sct_launcher found = {.size = sizeof found};
        set(cases[i].environment);
        bool right = sct_launcher_find(&found) == SCT_OK && found.outer_ranks == cases[i].ranks;
        bool named = found.outer && cases[i].outer ? strcmp(found.outer, cases[i].outer) == 0
                                                   : found.outer == cases[i].outer;
        CHECK_CASE(right && named, "%s: %s of %d", cases[i].environment,
                   found.outer ? found.outer : "none", found.outer_ranks);
    }
}

/* One process of MPICH's mpiexec, whose connection tells a world of its own from variables that an
 * earlier shell has left. */
static void connected(void) {
    static const char environment[] =
        "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 PMI_RANK=0 PMI_SIZE=1";
    sct_launcher found = {.size = sizeof found};
    int ends[2];
    char number[16];
    set(environment);
    CHECK(sct_launcher_find(&found) == SCT_OK && strcmp(found.name, "openmpi") == 0 &&
          found.ranks == 2 && !found.outer);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    snprintf(number, sizeof number, "%d", ends[0]);
    setenv("PMI_FD", number, 1);
    CHECK(sct_launcher_find(&found) == SCT_OK && strcmp(found.name, "pmi") == 0 &&
          found.ranks == 1 && found.outer && strcmp(found.outer, "OMPI_COMM_WORLD_RANK") == 0 &&
          found.outer_ranks == 2);
    setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
    setenv("OMPI_COMM_WORLD_RANK", "0", 1);
    CHECK(sct_launcher_find(&found) == SCT_OK && strcmp(found.name, "pmi") == 0 && !found.outer);
    close(ends[0]);
    close(ends[1]);
}

static void refuse(void) {
    static const char *const cases[][2] = {
        {"RANK=x WORLD_SIZE=2", "RANK: 'x' is not a whole number from 0"},
        {"RANK=-1 WORLD_SIZE=2", "RANK: '-1' is not a whole number"},
        {"RANK=0 WORLD_SIZE=0", "WORLD_SIZE: '0' is not a whole number from 1"},
        {"RANK=0 WORLD_SIZE=", "WORLD_SIZE is empty, but RANK is 0"},
        {"RANK= WORLD_SIZE=2", "RANK is empty, but WORLD_SIZE is 2"},
        {"RANK=0 WORLD_SIZE=99999999999", "WORLD_SIZE: '99999999999' is not a whole number"},
        {"RANK=2 WORLD_SIZE=2", "RANK: '2' is not a rank of 2"},
        {"PMI_RANK=2 PMI_SIZE=1", "PMI_RANK: '2' is not a rank of 1"},
        {STEP "SLURM_PROCID=4", "SLURM_PROCID: '4' is not a rank of 4"},
        {"PMIX_RANK=1e9", "PMIX_RANK: '1e9' is not a whole number"},
        {"SLURM_NTASKS=abc", "SLURM_NTASKS: 'abc' is not a whole number"},
        {STEP "SLURM_PROCID=0 SLURM_NTASKS=abc", "SLURM_NTASKS: 'abc' is not a whole number"},
        {STEP "SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4x",
         "SLURM_STEP_NUM_TASKS: '4x' is not a whole"},
        {"SLURM_PROCID=0 SLURM_STEP_ID=-1", "SLURM_STEP_ID: '-1' is not a whole number"},
        {"PMI_SIZE=two PMI_RANK=0", "PMI_SIZE: 'two' is not a whole number from 1"},
        {"SLURM_JOB_ID=abc", "SLURM_JOB_ID: 'abc' is not a whole number"},
        {"JSM_NAMESPACE_SIZE=x", "JSM_NAMESPACE_SIZE: 'x' is not a whole number"},
        {"FLUX_JOB_SIZE=x", "FLUX_JOB_SIZE: 'x' is not a whole number"},
        {"PALS_RANKID=x", "PALS_RANKID: 'x' is not a whole number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sct_launcher found = {.size = sizeof found};
        sct_bootstrap ranks;
        set(cases[i][0]);
        CHECK_CASE(sct_launcher_find(&found) == SCT_BAD_ARGUMENT &&
                       strstr(sct_last_reason(), cases[i][1]) &&
                       sct_bootstrap_launched(&ranks) == SCT_BAD_ARGUMENT,
                   "%s: %s", cases[i][0], sct_last_reason());
    }
    sct_launcher unsized = {.size = 1};
    CHECK(sct_launcher_find(NULL) == SCT_BAD_ARGUMENT);
    CHECK(sct_launcher_find(&unsized) == SCT_BAD_ARGUMENT);
}

/* Ranks of these cannot meet without their MPI. */
static void without_mpi(void) {
    static const char *const cases[][2] = {
        {"OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0",
         "OMPI_COMM_WORLD_SIZE: its ranks can meet"},
        {"PMIX_RANK=0", "PMIX_RANK: its ranks can meet by MPI only"},
        {"PMIX_RANK=1", "PMIX_RANK: its ranks can meet by MPI only"},
        {"PMI_RANK=1 PMI_SIZE=2", "PMI_SIZE: its ranks can meet by MPI only"},
        {"PMI_PORT=node:4711 PMI_ID=0", "PMI_ID: its ranks can meet by MPI only"},
        {FLUX, "FLUX_JOB_SIZE: its ranks can meet by MPI only"},
        {"PALS_RANKID=1", "PALS_RANKID: its ranks can meet by MPI only"},
        {STEP "SLURM_PROCID=2 PMIX_RANK=1", "SLURM_NTASKS: its ranks can meet by MPI only"},
        {"", "this process was not started by sectile launch, nor by another launcher"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sct_bootstrap ranks;
        set(cases[i][0]);
        CHECK_CASE(sct_bootstrap_launched(&ranks) == SCT_NO_ENGINE &&
                       strstr(sct_last_reason(), cases[i][1]),
                   "%s: %s", cases[i][0], sct_last_reason());
    }
}

static void first_nodes(void) {
    static const char *const cases[][2] = {{"node1", "node1"},
                                           {"node1,node2", "node1"},
                                           {"node[1-4]", "node1"},
                                           {"node[03-06,9],other[1-2]", "node03"},
                                           {"node[7,9]", "node7"},
                                           {"node[12]", "node12"},
                                           {"r[1-2]n[03-04]-ib,x", "r1n03-ib"},
                                           {"a-b,c", "a-b"},
                                           {"node[1-4", NULL},
                                           {"", NULL},
                                           {",a", NULL},
                                           {"a-name-that-is-too-long-for-it", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char node[20] = "";
        bool found = sct_slurm_first_node(cases[i][0], node, sizeof node);
        CHECK_CASE(found == (cases[i][1] != NULL) && (!found || strcmp(node, cases[i][1]) == 0),
                   "'%s': '%s'", cases[i][0], node);
    }
}

int main(void) {
    recognise();
    nested();
    connected();
    refuse();
    without_mpi();
    first_nodes();
    return check_report("launcher");
}
