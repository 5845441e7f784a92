/* slots.h - the memory that the steps of a job use: blocks of ranks within reach, and slots. */
#ifndef SCT_EXEC_SLOTS_H
#define SCT_EXEC_SLOTS_H

#include "exec/job.h"

/* The blocks of a rank of a matrix; NULL if it is out of reach. */
const sct_memory *sct_job_peer(const sct_job *job, int matrix, int rank);
sct_type sct_job_sum_type(const sct_job *job);
/* The dense block that a slot is for an operand. In a smaller type than that of the sums it is the
 * end of what it becomes when it is widened. */
sct_memory sct_slot_memory(const sct_job *job, const sct_operand *operand, sct_type type,
                           int64_t slot);
/* Waits for what comes into a slot, or leaves it. */
sct_status sct_slot_await(sct_job *job, sct_slot *slot);

#endif
