/* team.h - work of all ranks, of which the first to fail says why. */
#ifndef CLI_TEAM_H
#define CLI_TEAM_H

#include "args.h"

/* What one rank does. A rank that fails alone must still enter all collective calls. */
typedef sct_status team_member(sct_world *world, void *context);

/* Runs `member` on all ranks. If any fails, the reason of the lowest is said, once. */
enum code team_run(const struct args *args, team_member *member, void *context);

#endif
