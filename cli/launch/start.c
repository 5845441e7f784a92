/* start.c - starts processes that have a connection to this one. */
#include "launch/start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

const char host_verb[] = "keep-host";

enum { CANNOT_START = 127 };

/* Forks, and returns as fork does. In each process, *fd is its end of a connection between the two.
 * The child's end is inherited by a program that the child executes. The child is killed when this
 * process ends. */
static pid_t fork_connected(int *fd) {
    int ends[2];
    pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    pid_t child = fork();
    *fd = ends[child == 0];
    close(ends[child != 0]);
    if (child != 0)
        return child;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(CANNOT_START);
    fcntl(*fd, F_SETFD, 0);
    return 0;
}

static _Noreturn void become(char **words) {
    execvp(words[0], words);
    report_error("launch: %s: %s", words[0], strerror(errno));
    _exit(CANNOT_START);
}

static bool started(struct member *member, const char *what) {
    if (member->process < 0)
        report_error("launch: %s cannot be started: %s", what, strerror(errno));
    return member->process >= 0;
}

/* ---- Ranks ---- */

static void set_number(const char *variable, int number) {
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    setenv(variable, text, 1);
}

/* What an outer launcher has set would be taken for this one's. */
static void set_variables(int rank, int ranks, int fd) {
    static const char *const others[] = {"TORCHELASTIC_RUN_ID",
                                         "OMPI_COMM_WORLD_SIZE",
                                         "PMI_RANK",
                                         "PMI_SIZE",
                                         "PMI_PORT",
                                         "PMIX_RANK"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        unsetenv(others[i]);
    set_number("SECTILE_RANK", rank);
    set_number("SECTILE_RANKS", ranks);
    set_number("SECTILE_LAUNCHER", fd);
}

static void read_nothing(void) {
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing > STDIN_FILENO) {
        dup2(nothing, STDIN_FILENO);
        close(nothing);
    }
}

/* Binds this process to its share of the cores that it may use. */
static void take_share(int place, int places) {
    cpu_set_t all, share;
    CPU_ZERO(&share);
    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < places)
        return;
    int cores = CPU_COUNT(&all);
    for (int core = 0, at = 0; at < cores; core++) {
        if (!CPU_ISSET(core, &all))
            continue;
        if (at * places / cores == place)
            CPU_SET(core, &share);
        at++;
    }
    (void)sched_setaffinity(0, sizeof share, &share);
}

bool start_rank(struct member *member, const struct command *command, int rank, bool reads) {
    *member = (struct member){
        .first = rank, .ranks = 1, .grouped = !reads || !isatty(STDIN_FILENO), .fd = -1};
    member->process = fork_connected(&member->fd);
    if (member->grouped && member->process >= 0)
        setpgid(member->process, member->process); /* in both, as either may be late */
    if (member->process != 0)
        return started(member, "a rank");
    set_variables(rank, command->ranks, member->fd);
    if (command->binds)
        take_share(rank - command->first, command->count);
    if (!reads)
        read_nothing();
    if (command->output >= 0)
        dup2(command->output, STDOUT_FILENO);
    become(command->words);
}

/* ---- Hosts ---- */

/* Whether the name of a variable is in a list, whose names are separated by commas. */
static bool is_listed(const char *variable, const char *list) {
    size_t length = strcspn(variable, "=");
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strcspn(at, ",") == length && strncmp(at, variable, length) == 0)
            return true;
    return false;
}

/* Variables that a program on another host needs as it does here, and those of --export. */
static bool goes_along(const char *variable, const char *const *exported) {
    static const char *const beginnings[] = {"SECTILE_",
                                             "OMP_",
                                             "OPENBLAS_",
                                             "MKL_",
                                             "BLIS_",
                                             "UCX_",
                                             "LD_LIBRARY_PATH=",
                                             "PATH=",
                                             "PYTHONPATH=",
                                             "CUDA_VISIBLE_DEVICES="};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(variable, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    while (*exported && !is_listed(variable, *exported))
        exported++;
    return *exported;
}

static void report_no_memory(const char *host) {
    report_error("launch: no memory for the order to host %s", host);
}

extern char **environ;

/* Writes what a host has to start, as words that each end with a zero byte; the first word holds
 * all numbers. The caller frees it. NULL on failure, which is reported. */
static char *write_order(const struct member *member, const struct command *command,
                         size_t *bytes) {
    char *text = NULL, folder[PATH_MAX];
    FILE *file = getcwd(folder, sizeof folder) ? open_memstream(&text, bytes) : NULL;
    if (!file) {
        report_error("launch: the current folder cannot be passed to host %s: %s", member->host,
                     strerror(errno));
        return NULL;
    }
    int variables = 0, count = 0;
    for (char **at = environ; *at; at++)
        variables += goes_along(*at, command->exported);
    while (command->words[count])
        count++;
    fprintf(file, "%d %d %d %d %d %d%c%s%c", member->first, member->ranks, command->ranks,
            command->binds, variables, count, 0, folder, 0);
    for (char **at = environ; *at; at++)
        if (goes_along(*at, command->exported))
            fprintf(file, "%s%c", *at, 0);
    for (int i = 0; i < count; i++)
        fprintf(file, "%s%c", command->words[i], 0);
    if (fclose(file) == 0)
        return text;
    report_no_memory(member->host);
    free(text);
    return NULL;
}

/* The remote shell is words for a shell here. The tool has the same name on all hosts. */
static _Noreturn void become_remote(const char *host, const char *shell, int fd) {
    char tool[PATH_MAX] = "", command[2 * PATH_MAX], line[PATH_MAX];
    if (readlink("/proc/self/exe", tool, sizeof tool - 1) < 0 || strchr(tool, '\'')) {
        report_error("launch: the path of this tool cannot be passed to a shell: %s", tool);
        _exit(CANNOT_START);
    }
    snprintf(command, sizeof command, "exec '%s' %s", tool, host_verb);
    if (snprintf(line, sizeof line, "exec %s \"$@\"", shell) >= (int)sizeof line) {
        report_error("launch: the remote shell is too long a command");
        _exit(CANNOT_START);
    }
    dup2(fd, STDIN_FILENO);
    dup2(fd, STDOUT_FILENO);
    close(fd);
    char *words[] = {"/bin/sh", "-c", line, "sh", (char *)host, command, NULL};
    become(words);
}

bool start_host(struct member *member, const struct command *command, const char *shell) {
    size_t bytes = 0;
    char *order = write_order(member, command, &bytes);
    if (!order)
        return false;
    member->process = fork_connected(&member->fd);
    if (member->process == 0)
        become_remote(member->host, shell, member->fd);
    bool works = started(member, "the remote shell");
    bool added = frame_add(&member->outgoing, FRAME_START, order, bytes);
    if (works && !added)
        report_no_memory(member->host);
    free(order);
    return works && added;
}
