/* ending.h - passes signals on, and ends ranks if one fails. */
#ifndef CLI_LAUNCH_ENDING_H
#define CLI_LAUNCH_ENDING_H

#include "launch/supervisor.h"

/* In milliseconds, how long the other ranks have to end: once a rank has failed, so that they can
 * still say why; once a signal has ended a rank, which they notice only after they have computed
 * what they are at; and once they have been notified of the end. */
enum { ENDING_GRACE_MS = 1000, ENDING_KILLED_MS = 5000, ENDING_PATIENCE_MS = 3000 };

/* True of signals that only notify a program. All others stop or end it. */
bool ending_only_notifies(int signal);
void ending_pass_signal(struct supervisor *supervisor, int signal);

/* Ends the ranks later, by a signal. */
void ending_plan(struct supervisor *supervisor, int ms, int signal);
/* Ends them, as planned: asks first, then insists. */
void ending_begin(struct supervisor *supervisor);

/* A rank has ended, with a status as waitpid returns it. The first failure ends the other ranks
 * and gives the exit code. If its code is 1, the code of a rank that has lost another one, a
 * failure with a higher code that follows before the others are ended gives the code instead. A
 * rank that a signal has ended is reported even if another has failed just before. */
void ending_of_rank(struct supervisor *supervisor, struct member *member, int rank, int status);
/* A host is gone, and its ranks with it. `foreign`: it has answered what is no frame. */
void ending_of_host(struct supervisor *supervisor, struct member *member, bool foreign);
/* What the ranks print cannot be written, as errno explains, so they end, as ranks of this host
 * would by themselves. */
void ending_of_output(struct supervisor *supervisor);

#endif
