/* start.h - starts ranks on this host, and keepers on others. */
#ifndef CLI_LAUNCH_START_H
#define CLI_LAUNCH_START_H

#include "launch/keeper.h"
#include "print/report.h"

/* Starts a rank: `words`, ending with NULL, with the variables that sct_bootstrap_launched reads.
 * `output`: its standard output; -1: that of this process. `reads`: it reads the standard input; if
 * that is a terminal, it stays in this process group, as readers of a terminal must. Otherwise it
 * gets a group of its own, so that signals reach what it starts, too. Reports errors. */
bool start_rank(struct member *member, int rank, int ranks, char **words, int output, bool reads);

/* Starts `sectile` as the keeper of a host by a remote shell, such as "ssh -p 2222", and tells it
 * what to run. Reports errors. */
bool start_host(struct member *member, int ranks, char **words, const char *shell);

/* The word by which the tool knows that it is a host's keeper, which users do not start. */
extern const char host_verb[];
/* Works as one; returns the exit code. */
enum code host_serve(void);

#endif
