/* meeting.h - an allgather among the members of a keeper. Keepers of hosts pass it on. */
#ifndef CLI_LAUNCH_MEETING_H
#define CLI_LAUNCH_MEETING_H

#include "launch/keeper.h"

/* Completes the meeting if all members have come. */
void meeting_try(struct keeper *keeper);
/* Ends a meeting: passes on to all members what the launcher has sent, the bytes of all ranks. */
void meeting_answer(struct keeper *keeper, const struct frame *frame);
/* A rank is gone: those that wait for it, now or later, are told. */
void meeting_break(struct keeper *keeper);

#endif
