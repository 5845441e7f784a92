/* trouble.h - collective calls with a bad argument: whoever passes it, every rank must get the same
 * status and the same reason, which names it. */
#ifndef TEST_TROUBLE_H
#define TEST_TROUBLE_H

#include "support/check.h"

#include <sectile/sectile.h>

enum { TROUBLE_RANKS = 4 };

/* Who passes the bad argument: everyone, or one rank alone. */
typedef struct culprit {
    const char *name;
    int rank; /* -1: everyone */
} culprit;

enum { CULPRITS = 3 };
extern const culprit culprits[CULPRITS];

/* What must come of it. */
typedef struct verdict {
    sct_status all, alone; /* if everyone passes it, or one rank */
    const char *word;      /* of the reason */
} verdict;

/* Whether this rank is one of them. */
bool is_culprit(const sct_world *world, const culprit *who);

/* Collective, after a call that returned `status`. */
void check_verdict(sct_world *world, const char *name, const culprit *who, sct_status status,
                   verdict must);

#endif
