/* team_call.h - runs a function on all members of a team. */
#ifndef PYTHON_TEAM_CALL_H
#define PYTHON_TEAM_CALL_H

#include "team.h"

/* What a member does; `world` is the handle of its rank. */
typedef sct_status team_work(sct_world *world, int member, void *arg);

/* Runs work on all members, waits for them, and returns the failure of the first that failed. */
sct_status team_call(struct team *team, team_work *work, void *arg);

#endif
