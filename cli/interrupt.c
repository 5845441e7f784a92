/* interrupt.c - leaves no half-written file behind when the program is interrupted. */
#include "interrupt.h"

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

void interrupt_catch(void) {
    struct sigaction action = {.sa_handler = end, .sa_mask = signal_set()};
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, NULL);
}

void interrupt_hold(bool hold) {
    sigset_t set = signal_set();
    sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

void interrupt_remove(const char *path) {
    snprintf(path_to_remove, sizeof path_to_remove, "%s", path);
}
