/* cleanup_process.c - a process that removes a file if the one that makes it is killed. */
#include "files/cleanup_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char guard_verb[] = "guard";

extern char **environ;

/* Its input is the pipe; it has a session of its own, and no output that mpiexec waits for. Returns
 * 0, or an errno. */
static int spawn(const char *path, int pipe, pid_t *process) {
    char name[] = "sectile", verb[16], *file = strdup(path);
    char *words[] = {name, verb, file, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    snprintf(verb, sizeof verb, "%s", guard_verb);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    int error = file ? 0 : ENOMEM;
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, pipe, STDIN_FILENO);
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO && error == 0; fd++)
        error = posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
    if (error == 0)
        error = posix_spawn(process, "/proc/self/exe", &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(file);
    return error;
}

/* A word to the process: the first sets it on guard, the second ends it. */
static bool tell(int pipe) {
    return write(pipe, "", 1) == 1;
}

bool guard_start(const char *path, struct guard *guard) {
    int ends[2];
    *guard = (struct guard){.process = 0};
    if (pipe2(ends, O_CLOEXEC) == -1)
        return false;
    int error = tell(ends[1]) ? spawn(path, ends[0], &guard->process) : errno;
    close(ends[0]);
    guard->pipe = ends[1];
    if (error == 0)
        return true;
    close(ends[1]);
    *guard = (struct guard){.process = 0};
    errno = error;
    return false;
}

void guard_stop(struct guard *guard) {
    if (guard->process == 0)
        return;
    tell(guard->pipe);
    close(guard->pipe);
    waitpid(guard->process, NULL, 0);
    guard->process = 0;
}

enum code guard_serve(const char *path) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    const int most_inherited = 256;
    char word;
    for (int fd = STDERR_FILENO + 1; fd < most_inherited; fd++)
        close(fd);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_IGN);
    if (read(STDIN_FILENO, &word, 1) != 1 || word != '\0') {
        report_error("there is nobody to guard %s for", path);
        return CODE_USAGE;
    }
    if (read(STDIN_FILENO, &word, 1) == 0)
        unlink(path);
    return CODE_DONE;
}
