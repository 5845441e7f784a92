/* cleanup_process.h - a process that removes an unfinished file if its writer is killed.
 *
 * If another rank dies, mpiexec may kill rank 0, the writer, by a signal that cannot be caught. */
#ifndef CLI_OUTPUT_CLEANUP_PROCESS_H
#define CLI_OUTPUT_CLEANUP_PROCESS_H

#include "print/report.h"

#include <sys/types.h>

/* The internal verb by which the tool starts itself as that process. */
extern const char cleanup_process_verb[];

struct cleanup_process {
    pid_t process; /* 0: none */
    int pipe;
};

/* Starts the process, for a file at this path. False if that fails; errno says why. */
bool cleanup_process_start(const char *path, struct cleanup_process *cleaner);
/* Ends the process without removing the file; does nothing if there is none. */
void cleanup_process_stop(struct cleanup_process *cleaner);

/* The main function of that process. */
enum code cleanup_process_serve(const char *path);

#endif
