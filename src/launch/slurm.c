/* slurm.c - what Slurm says of the step that a process is a task of. */
#include "launch/launcher.h"

#include "base/setting.h"
#include "base/status.h"
#include "launch/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Steps that are a batch script, or an interactive shell, have numbers from here on. */
static const int64_t special_steps = 0xfffffff0;

/* The number in a variable; -1: none. */
static int64_t number_in(const char *variable) {
    int64_t number;
    (void)sct_setting(variable, 0, INT64_C(0xffffffff), -1, &number);
    return number;
}

sct_status sct_slurm_check(void) {
    static const char *const variables[] = {"SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS",
                                            "SLURM_STEP_NUM_NODES", "SLURM_JOB_ID"};
    sct_status status = SCT_OK;
    int64_t ignored;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && !status; i++)
        status = sct_setting(variables[i], 0, INT64_C(0xffffffff), -1, &ignored);
    return status;
}

/* SLURM_NTASKS is the number of tasks that a job asks for, also where one process of it runs
 * alone. SLURM_STEP_NUM_TASKS is that of the step. */
int sct_slurm_tasks(void) {
    int64_t task = number_in("SLURM_PROCID"), step = number_in("SLURM_STEP_ID");
    int64_t tasks = number_in("SLURM_STEP_NUM_TASKS");
    if (task < 0 || (step < 0 && task == 0 && !getenv("SLURM_STEP_NODELIST")))
        return 0;
    if (step >= special_steps)
        return 1;
    if (tasks < 1)
        tasks = number_in("SLURM_NTASKS");
    return tasks < 1 ? 1 : tasks > INT32_MAX ? INT32_MAX : (int)tasks;
}

bool sct_slurm_is_one_per_node(void) {
    int64_t nodes = number_in("SLURM_STEP_NUM_NODES");
    return nodes < 0 || nodes == sct_slurm_tasks();
}

/* Copies up to one of the ends, outside of the text of a bracket. */
static const char *copy_until(const char *from, const char *ends, char **to, const char *last) {
    size_t length = strcspn(from, ends);
    for (size_t i = 0; i < length && *to < last; i++)
        *(*to)++ = from[i];
    return from + length;
}

bool sct_slurm_first_node(const char *list, char *node, size_t room) {
    char *to = node, *last = node + room - 1;
    const char *at = copy_until(list, ",[", &to, last);
    while (*at == '[') {
        at = copy_until(at + 1, "-,]", &to, last);
        at += strcspn(at, "]");
        if (*at == '\0')
            return false;
        at = copy_until(at + 1, ",[", &to, last);
    }
    *to = '\0';
    return to > node && to < last;
}

/* Steps that run at the same time on a node should not try the same ports first. The ports are
 * below those that the system gives to connections. */
static int first_port(void) {
    const int first = 20000, places = 700;
    int64_t job = number_in("SLURM_JOB_ID"), step = number_in("SLURM_STEP_ID");
    return first + (int)((job * 7 + step + 8) % places) * SCT_PLACE_PORTS;
}

sct_status sct_slurm_meet(const sct_launcher *launcher, sct_rendezvous *rendezvous) {
    const char *nodes = getenv("SLURM_STEP_NODELIST");
    sct_rendezvous_point place = {
        .port = first_port(), .ports = SCT_PLACE_PORTS, .counted_by = launcher->variable};
    if (sct_slurm_tasks() != launcher->ranks || number_in("SLURM_PROCID") != launcher->rank)
        return sct_fail(SCT_NO_ENGINE,
                        "%s: its ranks can meet by MPI only, as PMI_FD is no connection, and they "
                        "are no step of Slurm",
                        launcher->variable);
    if (number_in("SLURM_STEP_NUM_NODES") == 1)
        snprintf(place.host, sizeof place.host, "localhost");
    else if (!sct_setting_text("SECTILE_RENDEZVOUS") &&
             (!nodes || !sct_slurm_first_node(nodes, place.host, sizeof place.host)))
        return sct_fail(SCT_BAD_ARGUMENT,
                        "SLURM_STEP_NODELIST %s%.60s%s, so that the ranks cannot meet at the first "
                        "node of the step; SECTILE_RENDEZVOUS=HOST:PORT names another place",
                        nodes && *nodes ? "is '" : "is ", nodes && *nodes ? nodes : "not set",
                        nodes && *nodes ? "', which is no list of nodes" : "");
    return sct_place_meet(&place, rendezvous);
}
