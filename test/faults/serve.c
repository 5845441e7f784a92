/* serve.c - runs of the tool in copies of a process, made before main: to load its libraries takes
 * longer than most of what it does in tests. */
#include "faults/serve.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void reopen(int stream, const char *path, int flags) {
    int file = open(path, flags, 0666);
    if (file == -1 || dup2(file, stream) == -1)
        abort();
    close(file);
}

/* In the copy. */
static void begin(const char *fault) {
    enum { WRITTEN = O_WRONLY | O_CREAT | O_TRUNC };
    setenv("FAULT", fault, 1);
    unsetenv("FAULT_SERVED");
    reopen(STDIN_FILENO, "/dev/null", O_RDONLY);
    reopen(STDOUT_FILENO, "out", WRITTEN);
    reopen(STDERR_FILENO, "err", WRITTEN);
}

static int status_of(pid_t copy) {
    int status;
    if (copy == -1 || waitpid(copy, &status, 0) != copy)
        abort();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void serve_requests(void) {
    char fault[64];
    ssize_t bytes;
    if (!getenv("FAULT_SERVED"))
        return;
    /* Who asks waits for the answer, so that there is one line at a time. */
    while ((bytes = read(STDIN_FILENO, fault, sizeof fault)) > 0) {
        fault[bytes - 1] = '\0';
        pid_t copy = fork();
        if (copy == 0) {
            begin(fault);
            return;
        }
        dprintf(STDOUT_FILENO, "%d\n", status_of(copy));
    }
    _exit(0);
}
