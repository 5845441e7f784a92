/* trials.h - the work layouts that the first calls of a product with SCT_MEASURE run in turns, and
 * what they took.
 *
 * All ranks have the same trials and the same wisdom: only collective calls change them, once the
 * ranks have agreed. */
#ifndef SCT_API_TRIALS_H
#define SCT_API_TRIALS_H

#include "api/throughput.h"
#include "planner/planner.h"
#include "planner/wisdom.h"

/* How often each candidate runs. The first time does not count. One run shows how fast ranks and
 * links are. */
enum { SCT_TRIAL_ROUNDS = 6, SCT_TRIAL_OBSERVED = 1 };

typedef struct sct_trial_candidate {
    sct_stay stay; /* and `work`, as in sct_options */
    const sct_layout *work;
    bool failed;
    int64_t ns[SCT_TRIAL_ROUNDS]; /* of this rank; INT64_MAX: unknown */
    sct_throughput throughput;    /* of the observed round */
    double estimated;             /* seconds of its products, by the default machine */
} sct_trial_candidate;

typedef struct sct_trial {
    struct sct_trial *next;
    sct_wisdom_entry *entry; /* of the product; until all have run, without what is fastest */
    int count;
    sct_trial_candidate candidate[SCT_WORK_CANDIDATES];
    int turns;   /* that have begun */
    int running; /* calls */
} sct_trial;

/* What a call runs. */
typedef struct sct_turn {
    sct_trial *trial; /* NULL: nothing is measured */
    int candidate, round;
} sct_turn;

typedef struct sct_trials {
    sct_wisdom wisdom;
    sct_trial *first;
    int64_t (*now)(void); /* nanoseconds; tests have clocks of their own */
} sct_trials;

/* True if who computes what is to be measured. */
bool sct_trials_matter(const sct_options *options);

/* Sets `stay` and `work` of the options for a call whose choice they leave open, and finds which
 * turn of which trial it is. Collective, unless this rank's wisdom has the product; `*agreed` says
 * whether the call was collective. If it was, all ranks return the same status. */
sct_status sct_trials_choose(sct_world *world, const sct_problem *problem, sct_options *options,
                             sct_turn *turn, bool *agreed);

/* Call this when all ranks have begun a call; it returns the observer for the call. */
sct_observer sct_turn_begin(const sct_turn *turn, int ranks_per_node);
/* Call this when all ranks have ended it, with its plan and the time that it took. */
void sct_turn_end(const sct_turn *turn, sct_status status, const sct_plan *plan, int64_t ns);
/* True if the candidate cannot run for lack of memory on any rank, and so does not from now on. */
bool sct_turn_fails(const sct_turn *turn, sct_status status);

/* True if candidates for a product have yet to run, because it has no trial or one with turns left.
 */
bool sct_trials_go_on(const sct_trials *trials, const char *key);
void sct_trials_clear(sct_trials *trials);

#endif
