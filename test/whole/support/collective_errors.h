/* collective_errors.h - collective calls with a bad argument: whether all ranks pass it or one,
 * every rank must get the same status and the same reason, which names the argument. */
#ifndef TEST_COLLECTIVE_ERRORS_H
#define TEST_COLLECTIVE_ERRORS_H

#include "support/check.h"

#include <sectile/sectile.h>

enum { ERROR_RANKS = 4 };

/* Who passes the bad argument: all ranks, or one. */
typedef struct culprit {
    const char *name;
    int rank; /* -1: all ranks */
} culprit;

enum { CULPRITS = 3 };
extern const culprit culprits[CULPRITS];

/* The expected result. */
typedef struct outcome {
    sct_status all, alone; /* if all ranks pass it, or one */
    const char *word;      /* that the reason contains */
} outcome;

/* Runs `fn` on ERROR_RANKS ranks, which get a pointer to their int ranks_per_node as the argument:
 * once with all ranks on one node (0), and once for each number per node from 1 to `most`. */
void run_error_ranks(int most, sct_main *fn);

/* The status of a call that need not be collective, and a word of the reason if it failed. */
void check_status(sct_status status, sct_status want, const char *word);
/* The same for SCT_BAD_ARGUMENT. */
void check_refused(sct_status status, const char *word);

/* Whether this rank passes the bad argument. */
bool is_culprit(const sct_world *world, const culprit *who);

/* Collective. Checks the result `status` of a call on all ranks. */
void check_outcome(sct_world *world, const char *name, const culprit *who, sct_status status,
                   outcome expected);

#endif
