/* recent_calls.h - the last products and copies of a world: one that is made again is not planned
 * again, and if its matrices still exist, not bound again.
 *
 * Each rank keeps what it likes, since only what a rank can free alone is kept. A call that is
 * made is taken out of what is kept, so that one that fails is not found again. */
#ifndef SCT_API_RECENT_CALLS_H
#define SCT_API_RECENT_CALLS_H

#include "api/request.h"
#include "api/trials.h"
#include "base/status.h"
#include "exec/job.h"
#include "plan/constants.h"

/* The most calls that are kept, unless the options of the world say otherwise, and the most bytes
 * of workspace that they keep together: what plans for small matrices may take by default. */
enum { SCT_RECENT_CALLS = 256, SCT_RECENT_BYTES = SCT_LEAST_LIMIT };

/* What a product, or a copy of one view to another, is found by. */
typedef struct sct_recent_key {
    bool copies, once; /* once: it is not kept */
    sct_op op[2];
    sct_view view[SCT_MATS];
    sct_options options;
    sct_turn turn; /* of a product that is measured */
} sct_recent_key;

/* What a caller holds of a product that it has started. */
struct sct_multiplying {
    sct_world *world;
    struct sct_recent_call *call;
    int64_t ns;        /* that the start took */
    sct_status status; /* of the start, once C may have been touched; alike on all ranks */
    char reason[SCT_REASON_BYTES];
};

typedef struct sct_recent_call {
    struct sct_recent_call *next; /* the one before */
    sct_recent_key key;
    const sct_layout *work; /* that of the options */
    sct_problem problem;    /* of a product, with a plan, which keeps the layouts */
    const sct_plan *plan;
    sct_job *job;             /* of a product; NULL: not bound */
    sct_copying *copying;     /* of a copy */
    size_t bytes;             /* of workspace that is kept */
    int uses;                 /* since it was bound */
    sct_request_text request; /* of a product: its text, which ends with alpha and beta */
    size_t length;            /* of the text without these, and its hash */
    uint64_t hash;
    sct_multiplying started;
} sct_recent_call;

typedef struct sct_recent_calls {
    sct_recent_call *latest;
    int count, most;
    size_t bytes; /* of workspace, of all */
} sct_recent_calls;

/* The key of a product that is not measured. One with a machine or decisions in its options is not
 * kept: the caller owns these and may change them. */
sct_recent_key sct_recent_product(sct_op op_a, sct_op op_b, const sct_view view[SCT_MATS],
                                  const sct_options *options);
/* The key of a copy with at most `workspace` bytes of workspace. */
sct_recent_key sct_recent_copy(sct_op op, sct_view from, sct_view to, size_t workspace);

/* Takes out a call that is bound to the same matrices; NULL: there is none. */
sct_recent_call *sct_recent_take(sct_recent_calls *recent, const sct_recent_key *key);
/* Makes a call that is not bound. NULL: no memory. */
sct_recent_call *sct_recent_new(const sct_recent_key *key);
/* Finds or makes the plan of a product, for a call that is new, with the options of the caller. */
sct_status sct_recent_plan(const sct_recent_calls *recent, sct_recent_call *call,
                           const sct_problem *problem, int rank, const sct_options *options);
/* Keeps a call that has been made; it may be destroyed at once. */
void sct_recent_keep(sct_recent_calls *recent, sct_recent_call *call);
void sct_recent_destroy(sct_recent_call *call);

/* Drops the products of a trial, except that those of one candidate are kept as if there had been
 * no trial. */
void sct_recent_settle(sct_recent_calls *recent, const sct_trial *trial, int candidate);

/* Unbinds the calls with a matrix. */
void sct_recent_forget(sct_recent_calls *recent, const sct_matrix *matrix);
void sct_recent_clear(sct_recent_calls *recent);

#endif
