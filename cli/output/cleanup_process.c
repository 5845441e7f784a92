/* cleanup_process.c - a process that removes an unfinished file if its writer is killed. */
#include "output/cleanup_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char cleanup_process_verb[] = "guard";

extern char **environ;

/* Starts the process, and returns 0 or an errno. Its input is the pipe. It has a session of its
 * own, so that a signal to the job does not end it, and no output that mpiexec would wait for. */
static int spawn(const char *path, int pipe, pid_t *process) {
    char name[] = "sectile", verb[16], *file = strdup(path);
    char *words[] = {name, verb, file, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    snprintf(verb, sizeof verb, "%s", cleanup_process_verb);
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

/* Sends a byte. The first tells the process that the tool itself started it; the second tells it to
 * end. If the tool dies, the pipe closes without a second byte. */
static bool tell(int pipe) {
    return write(pipe, "", 1) == 1;
}

bool cleanup_process_start(const char *path, struct cleanup_process *cleaner) {
    int ends[2];
    *cleaner = (struct cleanup_process){.process = 0};
    if (pipe2(ends, O_CLOEXEC) == -1)
        return false;
    int error = tell(ends[1]) ? spawn(path, ends[0], &cleaner->process) : errno;
    close(ends[0]);
    cleaner->pipe = ends[1];
    if (error == 0)
        return true;
    close(ends[1]);
    *cleaner = (struct cleanup_process){.process = 0};
    errno = error;
    return false;
}

void cleanup_process_stop(struct cleanup_process *cleaner) {
    if (cleaner->process == 0)
        return;
    tell(cleaner->pipe);
    close(cleaner->pipe);
    waitpid(cleaner->process, NULL, 0);
    cleaner->process = 0;
}

enum code cleanup_process_serve(const char *path) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    const int most_inherited = 256;
    char word;
    for (int fd = STDERR_FILENO + 1; fd < most_inherited; fd++)
        close(fd);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_IGN);
    if (read(STDIN_FILENO, &word, 1) != 1 || word != '\0') {
        report_error("no process waits for the cleanup of %s; sectile starts this verb itself",
                     path);
        return CODE_USAGE;
    }
    if (read(STDIN_FILENO, &word, 1) == 0)
        unlink(path);
    return CODE_DONE;
}
