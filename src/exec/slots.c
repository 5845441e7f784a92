/* slots.c - the memory of slots, and waiting for their transfers. */
#include "exec/slots.h"

const sct_memory *sct_job_peer(const sct_job *job, int matrix, int rank) {
    bool direct = matrix == SCT_MAT_C && job->run.direct;
    const sct_bound *bound = direct ? &job->matrices.c : &job->matrices.bound[matrix];
    return job->context.fabric->ops->peer(bound->segment, rank);
}

sct_type sct_job_sum_type(const sct_job *job) {
    return job->plan->product.type[SCT_MAT_C];
}

sct_memory sct_slot_memory(const sct_job *job, const sct_operand *operand, sct_type type,
                           int64_t slot) {
    size_t line = (size_t)operand->line_size * sct_type_bytes(type);
    char *base = job->workspace.memory[operand->matrix] +
                 (size_t)slot * job->plan->slots[operand->matrix].bytes;
    sct_type widest = sct_operand_widest(&job->plan->product, operand);
    base += sct_operand_bytes(operand, widest) - sct_operand_bytes(operand, type);
    return (sct_memory){base, line, operand->line_count, line};
}

sct_trace_event sct_slot_trace_event(const sct_job *job, const sct_operand *operand, int owner,
                                     sct_lane lane, sct_trace_kind far, sct_trace_kind own) {
    int rank = job->plan->rank;
    sct_trace_event traced = {.rank = rank, .lane = lane, .kind = own, .peer = rank, .step = -1};
    sct_fragments fragments = sct_operand_begin(operand);
    sct_fragment f;
    while (sct_fragments_next(&fragments, &f)) {
        if (owner >= 0 && f.place.rank != owner)
            continue;
        if (f.place.rank != rank) {
            traced.kind = far;
            traced.peer = f.place.rank;
        }
        traced.bytes += (uint64_t)f.lines * (uint64_t)f.count * sct_type_bytes(operand->type);
    }
    return traced;
}

sct_status sct_slot_join(sct_job *job, sct_stream *stream, sct_slot *slot) {
    const sct_device *device = job->context.device;
    if (slot->transfers.count == 0)
        return SCT_OK;
    sct_status status = sct_transfers_join(&slot->transfers, device, stream);
    sct_slot_end_watch(job, stream, slot);
    slot->ready = device->ops->record(stream);
    return status;
}

void sct_slot_end_watch(const sct_job *job, sct_stream *stream, sct_slot *slot) {
    sct_watch_end(slot->watched, job->context.device, stream);
    slot->watched = NULL;
}

sct_status sct_job_drain(sct_job *job) {
    sct_status status = SCT_OK;
    for (int i = 0; i <= job->workspace.streams; i++) {
        sct_stream *stream =
            i < job->workspace.streams ? job->workspace.stream[i] : job->workspace.adds;
        sct_status waited = sct_device_drain(job->context.device, stream);
        status = status ? status : waited;
    }
    return status;
}

void sct_job_abandon(sct_job *job) {
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        for (int64_t i = 0; i < job->plan->slots[matrix].count; i++)
            sct_slot_join(job, job->workspace.stream[0], &job->workspace.slot[matrix][i]);
    sct_job_drain(job);
}
