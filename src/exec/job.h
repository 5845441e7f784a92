/* job.h - a plan bound to matrices: their memory, slots, streams, and transfers in flight. */
#ifndef SCT_EXEC_JOB_H
#define SCT_EXEC_JOB_H

#include "exec/binding.h"
#include "exec/finding.h"
#include "exec/transfers.h"
#include "exec/watch.h"
#include "plan/walk.h"

enum { SCT_MOST_STREAMS = 4 };

/* A slot of workspace, and the transfers in flight: into it for A and B, out of it for C. */
typedef struct sct_slot {
    sct_transfers transfers; /* those that no stream of the job holds yet */
    sct_event ready;         /* reached when commands that fill or empty it have run */
    bool filled;
    bool claimed;         /* holds a slice of C that has not arrived */
    sct_watched *watched; /* the transfers, if somebody watches */
} sct_slot;

struct sct_job {
    const sct_plan *plan;
    uint64_t number; /* number among the jobs of the world, equal on all ranks; 0: started only once
                      */
    sct_site site;
    sct_bound bound[SCT_MATS]; /* for C: its sums */
    sct_bound c;               /* C itself, if its sums are separate */
    sct_bound given[SCT_MATS]; /* the caller's matrices; `bound` has copies of those that are staged
                                */
    sct_walker walker;
    char *workspace;
    char *memory[SCT_MATS]; /* memory of slots */
    char *reduce_buffer;
    sct_slot *slot[SCT_MATS];
    sct_event *events;                        /* room for those of all slots */
    sct_stream *stream[SCT_MOST_STREAMS + 1]; /* the first copies, the others multiply */
    int streams;
    sct_stream *adds;      /* what accumulates come after */
    sct_event *multiplied; /* by step, a ring like the walker's */
    sct_scalar alpha, beta;
    sct_finding *findings; /* by rank */
    int64_t rounds;        /* with `ordered`: most slices of any rank */
    unsigned char *turns; /* and the turns of a round in which any rank sends, then those of each */
    sct_watch watch;
    bool running, defers; /* defers: the host does not wait for the end of the run */
    bool direct;          /* products write C itself, not separate sums */
    sct_status begun;     /* status of preparing C, agreed on at the end */
    /* During a run. */
    /* Contributions sent and arrived; and, in a ring, the slots of those in flight. */
    int64_t sent, arrived;
    int64_t *slots_in_flight;
};

/* Local. Keeps a reference to the plan. */
sct_status sct_job_bind(const sct_plan *plan, const sct_site *site, const sct_bound bound[SCT_MATS],
                        sct_job **job);
/* Collective, after sct_job_bind: allocates the separate sums of C, and copies of staged matrices,
 * if needed. */
sct_status sct_job_open(sct_job *job);
/* The actor of a run, in interpret.c. */
extern const sct_actor sct_interpreter;
/* The event of a step's product. */
static inline sct_event *sct_job_event(const sct_job *job, int64_t step) {
    return &job->multiplied[step % job->walker.room];
}
/* Waits for all commands of the job. */
sct_status sct_job_drain(sct_job *job);
/* Has the stream of accumulates come after this rank's contributions; with `ordered`, after those
 * of all ranks. */
sct_status sct_job_settle(sct_job *job);
/* After a failure: waits until nothing touches memory any more. */
void sct_job_abandon(sct_job *job);

/* Collective. Starts nothing unless all ranks pass SCT_OK, the same job and the same factors. */
sct_status sct_job_begin(sct_job *job, sct_status status, sct_scalar alpha, sct_scalar beta);
/* The same where the ranks have agreed on all of that. `rounds`: the most slices of C that any rank
 * accumulates. */
sct_status sct_job_enter(sct_job *job, int64_t rounds, sct_scalar alpha, sct_scalar beta);
/* Collective. Submits the run, and waits until it is done. With `defer`, the host does not wait,
 * except where sectile_cuda.h says so; instead, all later commands of the ranks' devices come after
 * the run. */
SCT_API sct_status sct_job_finish(sct_job *job, bool defer);

#endif
