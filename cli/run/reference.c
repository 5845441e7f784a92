/* reference.c - starts the reference process, and alternates with it. */
#include "run/reference_wire.h"

#include "ranks/system.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

const char reference_verb[] = "reference";

/* Short products are preceded by others, for this time and at most this number. */
static const double warm_seconds = 0.1;
enum { MOST_WARM_UPS = 1000 };

extern char **environ;

enum { SETTINGS = 3, SETTING_BYTES = 40 };

static bool is_set(const char *variable, const char *const names[SETTINGS]) {
    for (int i = 0; i < SETTINGS; i++)
        if (strncmp(variable, names[i], strcspn(names[i], "=") + 1) == 0)
            return true;
    return false;
}

/* The environment of the process: BLAS threads, and huge pages as the library uses. Free it. NULL:
 * out of memory. */
static char **environment(int threads, char settings[SETTINGS][SETTING_BYTES]) {
    static const char *const names[SETTINGS] = {
        "OPENBLAS_NUM_THREADS=", "OMP_NUM_THREADS=", "GLIBC_TUNABLES=glibc.malloc.hugetlb="};
    const int values[SETTINGS] = {threads, threads, 1};
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **copy = malloc((count + SETTINGS + 1) * sizeof *copy);
    if (!copy)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (!is_set(environ[i], names))
            copy[kept++] = environ[i];
    for (int i = 0; i < SETTINGS; i++) {
        snprintf(settings[i], SETTING_BYTES, "%s%d", names[i], values[i]);
        copy[kept++] = settings[i];
    }
    copy[kept] = NULL;
    return copy;
}

/* Starts this program again, with `socket` as standard input; 0 or an errno. */
static int spawn(int socket, int threads, pid_t *process) {
    char name[] = "sectile", verb[16], settings[SETTINGS][SETTING_BYTES];
    char *words[] = {name, verb, NULL};
    char **variables = environment(threads, settings);
    posix_spawn_file_actions_t actions;
    int error = variables ? posix_spawn_file_actions_init(&actions) : ENOMEM;
    snprintf(verb, sizeof verb, "%s", reference_verb);
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
        if (error == 0)
            error = posix_spawn(process, "/proc/self/exe", &actions, NULL, words, variables);
        posix_spawn_file_actions_destroy(&actions);
    }
    free(variables);
    return error;
}

/* Like spawn, on the cores of all ranks of this host. */
static int spawn_seated(const struct cpu_affinity *affinity, int socket, int threads,
                        pid_t *process) {
    cpu_set_t own;
    bool moved = affinity->spread && sched_getaffinity(0, sizeof own, &own) == 0 &&
                 sched_setaffinity(0, sizeof affinity->here, &affinity->here) == 0;
    int error = spawn(socket, threads, process);
    if (moved)
        sched_setaffinity(0, sizeof own, &own);
    return error;
}

static struct reference_problem problem_of(const struct generated_problem *trial) {
    const struct problem *problem = trial->problem;
    const struct args *args = problem->args;
    struct reference_problem value = {.shape = args->shape,
                                      .op = {args->op[0], args->op[1]},
                                      .source = trial->source,
                                      .alpha = trial->alpha,
                                      .beta = trial->beta};
    for (int i = 0; i < MATRICES; i++) {
        value.type[i] = args_type(args, i);
        value.order[i] = sct_layout_order(problem->layout[i]);
    }
    return value;
}

static int warm_ups_for(double seconds) {
    double count = seconds > 0 ? warm_seconds / seconds : MOST_WARM_UPS;
    return count < MOST_WARM_UPS ? (int)count : MOST_WARM_UPS;
}

/* Sends the problem and waits until the process has made its operands and warmed up. */
static enum code greet(const struct generated_problem *trial, struct reference *reference) {
    struct reference_problem problem = problem_of(trial);
    double seconds = -1;
    if (wire_send(reference->socket, &problem, sizeof problem) && reference_turn(reference) >= 0)
        seconds = reference_turn(reference);
    if (seconds < 0) {
        report_error("the process that only calls the BLAS has failed");
        return CODE_FAILED;
    }
    reference->warm_ups = warm_ups_for(seconds);
    return CODE_DONE;
}

enum code reference_start(const struct generated_problem *trial,
                          const struct cpu_affinity *affinity, struct reference *reference) {
    int64_t ranks = trial->problem->args->ranks;
    int cores = system_cores(), ends[2];
    *reference = (struct reference){.warm_ups = 0};
    int error = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno;
    if (error == 0) {
        error = spawn_seated(affinity, ends[1], ranks < cores ? (int)ranks : cores,
                             &reference->process);
        close(ends[1]);
        if (error != 0)
            close(ends[0]);
    }
    if (error != 0) {
        report_error("a process that only calls the BLAS cannot be started: %s", strerror(error));
        return CODE_FAILED;
    }
    reference->socket = ends[0];
    enum code code = greet(trial, reference);
    if (code != CODE_DONE)
        reference_stop(reference);
    return code;
}

double reference_turn(struct reference *reference) {
    struct reference_answer answer;
    kill(reference->process, SIGCONT);
    if (!wire_send(reference->socket, &reference->warm_ups, sizeof reference->warm_ups) ||
        !wire_receive(reference->socket, &answer, sizeof answer))
        return -1;
    kill(reference->process, SIGSTOP);
    reference->memory = answer.memory;
    return answer.seconds;
}

/* the process ends when the socket closes */
void reference_stop(struct reference *reference) {
    close(reference->socket);
    kill(reference->process, SIGCONT);
    waitpid(reference->process, NULL, 0);
}
