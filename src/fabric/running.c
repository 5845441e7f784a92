/* running.c - asks /proc, which needs no permission and no descriptor for each process. */
#include "fabric/running.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct finding {
    bool exists, missing; /* neither: the system does not say */
    char state;
    long threads;
    unsigned long long since;
} finding;

static finding find(pid_t process) {
    char path[64], text[1024];
    finding found = {.exists = false};
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    found.missing = length < 0 && (errno == ENOENT || errno == ESRCH);
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *rest = strrchr(text, ')'); /* a program's name may hold anything */
    found.exists = rest && sscanf(rest,
                                  ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
                                  "%*d %*d %ld %*d %llu",
                                  &found.state, &found.threads, &found.since) == 3;
    return found;
}

uint64_t sct_running_since(pid_t process) {
    return find(process).since;
}

/* A zombie with several threads is a process whose first thread alone has ended. Where this process
 * itself is missing, the system reports none. */
sct_run_state sct_run_state_of(pid_t process, uint64_t since) {
    finding found = find(process);
    if (found.missing)
        return find(getpid()).exists ? SCT_HAS_ENDED : SCT_RUNS;
    if (!found.exists)
        return SCT_RUNS;
    if (found.state == 'X' || (found.state == 'Z' && found.threads <= 1) ||
        (since != 0 && found.since != since))
        return SCT_HAS_ENDED;
    return found.state == 'T' || found.state == 't' ? SCT_IS_STOPPED : SCT_RUNS;
}
