/* cleanup_process.h - a process that removes a file if the one that makes it is killed. Another
 * rank that dies may take rank 0 with it, without a signal that could be caught. */
#ifndef CLI_FILES_CLEANUP_PROCESS_H
#define CLI_FILES_CLEANUP_PROCESS_H

#include "print/report.h"

#include <sys/types.h>

/* The verb, not for users, by which the tool starts itself as that process. */
extern const char guard_verb[];

struct guard {
    pid_t process; /* 0: there is none */
    int pipe;
};

/* False if it cannot be started; errno says why. */
bool guard_start(const char *path, struct guard *guard);
/* The file needs no guard any more. */
void guard_stop(struct guard *guard);

/* What that process does. */
enum code guard_serve(const char *path);

#endif
