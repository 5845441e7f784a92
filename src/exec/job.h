/* job.h - a plan bound to matrices: the caller's, those that products use, what a rank works with,
 * and the state of a run. */
#ifndef SCT_EXEC_JOB_H
#define SCT_EXEC_JOB_H

#include "exec/binding.h"
#include "exec/collective_call.h"
#include "exec/move.h"
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

/* The matrices that products read and write: the caller's, or copies of those that devices cannot
 * use. */
typedef struct sct_job_matrices {
    sct_bound bound[SCT_MATS]; /* for C: its sums */
    sct_bound c;               /* C itself, if its sums are separate */
} sct_job_matrices;

/* What a rank works with, in each run anew. */
typedef struct sct_job_workspace {
    char *own;              /* the memory, unless it is lent */
    char *memory[SCT_MATS]; /* that of slots */
    char *reduce_buffer;
    sct_mover mover; /* of the replicas of C */
    sct_slot *slot[SCT_MATS];
    sct_event *events;                        /* room for those of all slots */
    int64_t *slots_in_flight;                 /* a ring of those whose contributions are */
    sct_stream *stream[SCT_MOST_STREAMS + 1]; /* the first copies, the others multiply */
    int streams;
    sct_stream *adds; /* what accumulates come after */
    sct_walker walker;
    sct_event *multiplied; /* by step, a ring like the walker's */
    uint64_t *turns; /* with `ordered`: bits, of the turns of a round in which any rank sends */
} sct_job_workspace;

/* The state of a run. */
typedef struct sct_job_run {
    sct_scalar alpha, beta;
    bool running;
    bool defers;           /* the host does not wait for the end */
    bool direct;           /* products write C itself, not separate sums */
    sct_status begun;      /* status of preparing C, agreed on at the end */
    int64_t sent, arrived; /* contributions */
} sct_job_run;

struct sct_job {
    const sct_plan *plan;
    uint64_t number; /* among the jobs of the world, equal on all ranks; 0: started only once */
    int64_t rounds;  /* the most slices of C that any rank accumulates */
    sct_exec_context context;
    sct_bound given[SCT_MATS]; /* the caller's matrices */
    sct_job_matrices matrices;
    sct_job_workspace workspace;
    sct_job_run run;
    sct_watch watch;
};

/* The bytes of a job's workspace, without separate sums of C. */
size_t sct_job_workspace_bytes(const sct_plan *plan);
/* Local. Keeps a reference to the plan. workspace: memory that the job may use while it runs; NULL:
 * the job has its own. */
sct_status sct_job_bind(const sct_plan *plan, const sct_exec_context *context,
                        const sct_bound bound[SCT_MATS], void *workspace, sct_job **job);
/* Collective, before runs: open the separate sums of C, and device copies, if needed;
 * and close them, after which this rank may destroy the job without the others. */
sct_status sct_job_open(sct_job *job);
void sct_job_close(sct_job *job);
/* Between runs: return its streams to the device, and its own workspace; take what is missing
 * again.
 */
void sct_job_rest(sct_job *job);
void sct_job_shed(sct_job *job);
sct_status sct_job_wake(sct_job *job);
/* The actor of a run, in interpret.c. */
extern const sct_actor sct_interpreter;
/* The event of a step's product. */
static inline sct_event *sct_job_event(const sct_job *job, int64_t step) {
    return &job->workspace.multiplied[step % job->workspace.walker.room];
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
/* The same where the ranks have agreed on all of that. */
sct_status sct_job_enter(sct_job *job, sct_scalar alpha, sct_scalar beta);
/* Collective. Submits the run, and waits until it is done. With `defer`, the host does not wait,
 * except where sectile_cuda.h says so; instead, all later commands of the ranks' devices come after
 * the run. */
SCT_API sct_status sct_job_finish(sct_job *job, bool defer);

/* The blocks of a rank of a matrix; NULL if it is far. */
const sct_memory *sct_job_peer(const sct_job *job, int matrix, int rank);
sct_type sct_job_sum_type(const sct_job *job);
/* The dense block of an operand in its slot. An operand in a narrower type lies at the end of the
 * block that it becomes when widened. */
sct_memory sct_slot_memory(const sct_job *job, const sct_operand *operand, sct_type type,
                           int64_t slot);
/* What moves the parts of an operand between a slot and their owner (-1: all owners): `far` if
 * another rank owns one of them, otherwise `own`. */
sct_trace_event sct_slot_trace_event(const sct_job *job, const sct_operand *operand, int owner,
                                     sct_lane lane, sct_trace_kind far, sct_trace_kind own);
/* Has a stream come after the transfers into or out of a slot, which then is ready when the stream
 * has got there. */
sct_status sct_slot_join(sct_job *job, sct_stream *stream, sct_slot *slot);
/* Notes the end of these transfers. */
void sct_slot_end_watch(const sct_job *job, sct_stream *stream, sct_slot *slot);

#endif
