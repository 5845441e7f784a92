/* contributions.h - slices of C, from the first product that goes into one until all of it has been
 * added to its owners' memory. What a rank adds itself does not wait for what travels. */
#ifndef SCT_EXEC_CONTRIBUTIONS_H
#define SCT_EXEC_CONTRIBUTIONS_H

#include "exec/job.h"

/* A slot for the next slice, of a job. There is one: no more are being summed, or on their way,
 * than there are slots. */
int64_t sct_results_claim(void *job);
/* Hands over the slice that a step completes; with `ordered` collective. Waits if too many are on
 * their way. */
sct_status sct_results_accumulate(sct_job *job, const sct_task *task);
/* Waits for all that are on their way. */
sct_status sct_results_arrive(sct_job *job);

#endif
