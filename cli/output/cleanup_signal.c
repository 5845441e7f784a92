/* cleanup_signal.c - when a signal ends the program, removes an unfinished file, and ends the line
 * that shows the progress. */
#include "output/cleanup_signal.h"

#include "print/progress.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

/* Not passed by argument, because the signal handler needs it. Empty: nothing to remove. */
static char path_to_remove[PATH_MAX];

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

enum { SIGNALS = sizeof signals / sizeof *signals };

static void end(int signal) {
    if (path_to_remove[0] != '\0')
        unlink(path_to_remove);
    if (progress_is_drawn())
        (void)!write(STDERR_FILENO, "\n", 1);
    _exit(128 + signal);
}

static sigset_t signal_set(void) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&set, signals[i]);
    return set;
}

/* nohup starts programs so, and they are to go on. */
static bool hangup_ignored(void) {
    struct sigaction action;
    return sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void cleanup_signal_catch(void) {
    struct sigaction action = {.sa_handler = end, .sa_mask = signal_set()};
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] != SIGHUP || !hangup_ignored())
            sigaction(signals[i], &action, NULL);
    /* Then a file above the size limit is an error of write, and is removed like any other. */
    signal(SIGXFSZ, SIG_IGN);
}

void cleanup_signal_hold(bool hold) {
    sigset_t set = signal_set();
    sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

void cleanup_signal_remove(const char *path) {
    snprintf(path_to_remove, sizeof path_to_remove, "%s", path);
}
