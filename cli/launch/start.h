/* start.h - starts ranks on this host, and supervisors on others. */
#ifndef CLI_LAUNCH_START_H
#define CLI_LAUNCH_START_H

#include "launch/supervisor.h"
#include "print/report.h"

/* What is started: `words`, ending with NULL, on `ranks` ranks, of which `count` from `first` on
 * are on this host. `binds`: each of those gets its share of the cores for itself, if there are
 * enough. `output`: their standard output; -1: that of this process. */
struct command {
    char **words;
    int ranks, first, count;
    bool binds;
    int output;
    const char *const *exported; /* lists of variables that hosts get too; NULL after the last */
};

/* Starts a rank, with the variables that sct_bootstrap_launched reads. `reads`: it reads the
 * standard input; if that is a terminal, it stays in this process group, as readers of a terminal
 * must. Otherwise it gets a group of its own, so that signals reach what it starts, too. Reports
 * errors.
 */
bool start_rank(struct member *member, const struct command *command, int rank, bool reads);

/* Starts `sectile` as the supervisor of a host by a remote shell, such as "ssh -p 2222", and sends
 * it what to run. Reports errors. */
bool start_host(struct member *member, const struct command *command, const char *shell);

/* The word by which the tool knows that it is a host's supervisor, which users do not start. */
extern const char host_verb[];
/* Works as one; returns the exit code. */
enum code host_serve(void);

#endif
