/* cleanup_signal.c - leaves no half-written file behind when the program is interrupted. */
#include "files/cleanup_signal.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

/* The only state that is not passed by argument: a signal handler has no other way to it. Empty
 * if there is nothing to remove. */
static char path_to_remove[PATH_MAX];

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

enum { SIGNALS = sizeof signals / sizeof *signals };

static void end(int signal) {
    if (path_to_remove[0] != '\0')
        unlink(path_to_remove);
    _exit(128 + signal);
}

static sigset_t signal_set(void) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&set, signals[i]);
    return set;
}

/* nohup asks for that. */
static bool hangup_ignored(void) {
    struct sigaction action;
    return sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void interrupt_catch(void) {
    struct sigaction action = {.sa_handler = end, .sa_mask = signal_set()};
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] != SIGHUP || !hangup_ignored())
            sigaction(signals[i], &action, NULL);
    /* A limit on the size of files is then an error of the call that goes beyond it. */
    signal(SIGXFSZ, SIG_IGN);
}

void interrupt_hold(bool hold) {
    sigset_t set = signal_set();
    sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

void interrupt_remove(const char *path) {
    snprintf(path_to_remove, sizeof path_to_remove, "%s", path);
}
