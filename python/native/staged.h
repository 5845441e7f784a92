/* staged.h - products of small matrices that are computed often.
 *
 * The library allocates matrices for such a product once. Each run copies the caller's A, B and C
 * into them, and the result back, so that no run wraps the caller's memory, which all ranks would
 * do together. For teams of one. Collective. */
#ifndef PYTHON_STAGED_H
#define PYTHON_STAGED_H

#include "wrapped.h"

struct staged;

/* Allocates matrices with the layouts and types of these. */
sct_status team_staged_new(struct team *team, const wrapped *a, const wrapped *b, const wrapped *c,
                           struct staged **made);
/* c = alpha a b + beta c. */
sct_status team_staged_run(struct team *team, struct staged *staged, const void *alpha,
                           const wrapped *a, const wrapped *b, const void *beta, const wrapped *c,
                           const sct_options *options);
sct_status team_staged_free(struct team *team, struct staged *staged);

#endif
