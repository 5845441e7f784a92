/* slots.h - the memory that steps use: blocks of near ranks, and slots, which are buffers in
 * workspace for one slice each. */
#ifndef SCT_EXEC_SLOTS_H
#define SCT_EXEC_SLOTS_H

#include "exec/job.h"

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
