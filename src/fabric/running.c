/* running.c - asks /proc, which needs no permission and no descriptor for each process. */
#include "fabric/running.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A zombie with several threads is a process whose first thread alone has ended. */
static bool has_ended(char state, long threads) {
    return state == 'X' || state == 'x' || (state == 'Z' && threads <= 1);
}

uint64_t sct_running_since(pid_t process) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *rest = strrchr(text, ')'); /* a program's name may hold anything */
    char state = 'X';
    long threads = 0;
    unsigned long long started = 0;
    if (rest)
        (void)sscanf(rest,
                     ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld "
                     "%*d %llu",
                     &state, &threads, &started);
    return has_ended(state, threads) ? 0 : started;
}
