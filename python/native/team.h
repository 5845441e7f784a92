/* team.h - the ranks of a world that live in this process, directed by one caller.
 *
 * The caller works as the first of them; each other one has a thread of its own. If the ranks are
 * processes, the team of each has one member and no threads. Callers take turns: a team makes one
 * call at a time.
 */
#ifndef PYTHON_TEAM_H
#define PYTHON_TEAM_H

#include <sectile/sectile.h>

struct team;

/* Makes a team without a world. NULL: no memory. */
struct team *team_new(int members);
/* Makes a world of threads, with a rank for each member. */
sct_status team_open(struct team *team, const sct_world_options *options);
/* Gives a world that exists to a team of one. */
void team_adopt(struct team *team, sct_world *world);
/* Ends the world, if there is one, and the threads. */
void team_free(struct team *team);

/* The handle of a member's rank. */
sct_world *team_world(const struct team *team, int member);
/* Has a matrix destroyed before the next call of the team. `matrix` has the handle of each member.
 * Destroying at once would take a call of its own, which is slow for many small matrices. */
void team_drop(struct team *team, sct_matrix *const *matrix);
/* Destroys the matrices that team_drop has been given. */
void team_flush(struct team *team);
/* Why the last call failed. */
const char *team_reason(const struct team *team);

#endif
