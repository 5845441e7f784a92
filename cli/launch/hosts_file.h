/* hosts_file.h - the hosts of a launch, one on each line of a file: its name, and optionally how
 * many ranks it takes, otherwise 1, as `node 2` or `node:2`. Lines that name the same host one
 * after the other add up. # begins a comment. */
#ifndef CLI_LAUNCH_HOSTS_FILE_H
#define CLI_LAUNCH_HOSTS_FILE_H

#include "launch/supervisor.h"
#include "print/report.h"

/* Reads the hosts for so many ranks, or for all that they take if that is 0. Reports errors. Free
 * the names and the members. */
enum code hosts_file_read(const char *path, int64_t ranks, struct supervisor *supervisor);

#endif
