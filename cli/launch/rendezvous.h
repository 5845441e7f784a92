/* rendezvous.h - an allgather among the members of a supervisor. Supervisors of hosts pass it on.
 */
#ifndef CLI_LAUNCH_RENDEZVOUS_H
#define CLI_LAUNCH_RENDEZVOUS_H

#include "launch/supervisor.h"

/* Completes the rendezvous if all members have come. */
void rendezvous_try(struct supervisor *supervisor);
/* Ends a rendezvous: passes on to all members what the launcher has sent, the bytes of all ranks.
 */
void rendezvous_answer(struct supervisor *supervisor, const struct frame *frame);
/* A rank is gone: those that wait for it, now or later, are notified. */
void rendezvous_break(struct supervisor *supervisor);

#endif
