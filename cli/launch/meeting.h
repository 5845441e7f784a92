/* meeting.h - an allgather among the members of a keeper. Keepers of hosts pass it on. */
#ifndef CLI_LAUNCH_MEETING_H
#define CLI_LAUNCH_MEETING_H

#include "launch/keeper.h"

/* Completes the meeting if all members have come. */
void meeting_try(struct keeper *keeper);
/* Gives all members what all ranks sent, which the launcher has joined. */
void meeting_answer(struct keeper *keeper, const struct frame *frame);
/* A rank is gone: those that wait for it, now or later, are told. */
void meeting_break(struct keeper *keeper);

#endif
