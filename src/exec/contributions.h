/* contributions.h - contributions: slices of C in workspace, from their first product until they
 * are added to their owners' memory. Slices that the rank adds itself do not wait for those in
 * flight. */
#ifndef SCT_EXEC_CONTRIBUTIONS_H
#define SCT_EXEC_CONTRIBUTIONS_H

#include "exec/job.h"

/* When a job is made: makes room for the turns in which ranks send with `ordered`. */
sct_status sct_contributions_prepare(sct_job *job);
/* Claims a slot for the next slice of a job. One is always free: no more slices are being summed or
 * in flight than there are slots. */
int64_t sct_contributions_claim_slot(void *job);
/* Hands over the slice that a step completes, once its products have run. Collective with
 * `ordered`. No more are in flight than the plan says. */
sct_status sct_contributions_send(sct_job *job, const sct_task *task);
/* Has the stream of accumulates come after all contributions in flight. */
sct_status sct_contributions_join(sct_job *job);

#endif
