/* staged.h - products of small matrices that are computed often.
 *
 * Their matrices are in memory of the library, and each run copies the caller's into them and the
 * result out of them. So a run takes few steps that all ranks do together. For teams of one.
 * Collective. */
#ifndef PYTHON_STAGED_H
#define PYTHON_STAGED_H

#include "wrapped.h"

struct staged;

/* Makes matrices like these, whose memory does not matter. */
sct_status team_staged_new(struct team *team, const wrapped *a, const wrapped *b, const wrapped *c,
                           struct staged **made);
/* c = alpha a b + beta c. */
sct_status team_staged_run(struct team *team, struct staged *staged, const void *alpha,
                           const wrapped *a, const wrapped *b, const void *beta, const wrapped *c,
                           const sct_options *options);
sct_status team_staged_free(struct team *team, struct staged *staged);

#endif
