/* job.h - a plan bound to memory: the interpreter and what it keeps between runs. */
#ifndef SCT_EXEC_JOB_H
#define SCT_EXEC_JOB_H

#include "exec/binding.h"
#include "plan/walk.h"

enum { SCT_MOST_STREAMS = 4 };

/* What is in one slot of workspace and what is still on its way: into it for A and B, out of it for
 * C. */
typedef struct sct_slot {
    sct_ticket *ticket;
    int64_t tickets;
    sct_event ready; /* copies into it have run */
    bool landed;
    bool claimed; /* by a slice of C that has not been accumulated */
} sct_slot;

/* What each rank tells the others when a run starts, and when it ends. */
typedef struct sct_terms {
    uint64_t status;
    uint64_t number; /* of the job */
    sct_scalar alpha, beta;
    int64_t slices; /* of C that it will accumulate */
} sct_terms;

struct sct_job {
    const sct_plan *plan;
    uint64_t number; /* of those of the world, alike on all ranks; 0: it is started only once */
    sct_site site;
    sct_bound bound[SCT_MATS]; /* of C, its sums */
    sct_bound c;               /* C itself, if it is of another type than they */
    sct_walker walker;
    char *workspace;
    char *memory[SCT_MATS]; /* of the slots, then */
    char *reduce_buffer;
    sct_slot *slot[SCT_MATS];
    sct_ticket *tickets;
    sct_stream *stream[SCT_MOST_STREAMS + 1]; /* the first one copies, the others multiply */
    int streams;
    sct_event *multiplied; /* by step, as the walker's ring */
    sct_scalar alpha, beta;
    sct_terms *terms; /* of all ranks */
    int64_t rounds;   /* with `ordered`: the most slices of any rank */
    bool running;
    sct_status begun; /* what came of preparing C; all learn of it in the end */
    /* While it runs. */
    int64_t flushed; /* steps before it have handed over their products */
    /* Slices of C that travel: how many have left, how many have arrived; the slots of those on
     * their way. */
    int64_t sent, arrived;
    int64_t *leaving;
};

/* Not collective; keeps the plan. */
sct_status sct_job_bind(const sct_plan *plan, const sct_site *site, const sct_bound bound[SCT_MATS],
                        sct_job **job);
/* Collective, after sct_job_bind: opens the memory of the sums, if C itself cannot hold them. */
sct_status sct_job_open(sct_job *job);
/* The actor of a run: interpret.c. */
extern const sct_actor sct_interpreter;
/* Waits until all that was handed over has been accumulated; with `ordered`, by all ranks. */
sct_status sct_job_settle(sct_job *job);
/* After a failure: waits until nothing touches memory any more, whatever came of it. */
void sct_job_abandon(sct_job *job);

/* Collective. Nothing is touched unless all ranks pass SCT_OK, the same job and the
 * same factors. */
sct_status sct_job_begin(sct_job *job, sct_status status, sct_scalar alpha, sct_scalar beta);
/* Collective. */
sct_status sct_job_finish(sct_job *job);

#endif
