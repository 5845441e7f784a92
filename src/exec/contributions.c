/* contributions.c - from slots to their owners, slices that travel in the order in which they left.
 */
#include "exec/contributions.h"

#include "exec/slots.h"

int64_t sct_results_claim(void *self) {
    sct_slot *slot = ((sct_job *)self)->slot[SCT_MAT_C];
    int64_t index = 0;
    while (slot[index].claimed)
        index++;
    slot[index].claimed = true;
    return index;
}

/* The slice of C in a slot arrives. */
static sct_status vacate(sct_job *job, int64_t index) {
    sct_slot *slot = &job->slot[SCT_MAT_C][index];
    slot->claimed = false;
    return sct_slot_await(job, slot);
}

/* Waits for the slices that left, but for so many of the last. */
static sct_status arrive(sct_job *job, int64_t others) {
    int64_t most = job->plan->options.accumulates_in_flight;
    sct_status status = SCT_OK;
    for (; job->sent - job->arrived > others && !status; job->arrived++)
        status = vacate(job, job->leaving[job->arrived % most]);
    return status;
}

sct_status sct_results_arrive(sct_job *job) {
    return arrive(job, 0);
}

/* Starts accumulating the fragments of a product that one rank owns (-1: all). */
static sct_status send(sct_job *job, const sct_task *task, int owner) {
    const sct_operand *c = &task->operand[SCT_MAT_C];
    sct_slot *slot = &job->slot[SCT_MAT_C][task->slot[SCT_MAT_C]];
    sct_memory from = sct_slot_memory(job, c, c->type, task->slot[SCT_MAT_C]);
    sct_fabric *fabric = job->site.fabric;
    sct_fragments fragments = sct_operand_begin(c);
    sct_fragment f;
    sct_status status = SCT_OK;
    while (!status && sct_fragments_next(&fragments, &f)) {
        if (owner >= 0 && f.place.rank != owner)
            continue;
        sct_target to =
            sct_bound_target(&job->bound[SCT_MAT_C], f.place, f.line, f.at, f.lines, f.count);
        void *memory = sct_memory_at(&from, f.to_line, f.to_at, sct_type_bytes(c->type));
        status = fabric->ops->accumulate(fabric, c->type, memory, from.pitch, &to,
                                         &slot->ticket[slot->tickets]);
        slot->tickets += !status;
    }
    return status;
}

static bool in_rounds(const sct_job *job) {
    return job->plan->options.ordered && !job->plan->exclusive;
}

/* One slice of each rank, or none. In turn t of a round every owner is added to by one rank, t
 * before it; all meet after each turn, so that nobody waits for anybody who waits for him. */
static sct_status accumulate_in_turns(sct_job *job, const sct_task *task) {
    sct_fabric *fabric = job->site.fabric;
    sct_status status = SCT_OK;
    for (int turn = 0; turn < fabric->size; turn++) {
        if (task && !status)
            status = send(job, task, (fabric->rank + turn) % fabric->size);
        if (task && !status)
            status = vacate(job, task->slot[SCT_MAT_C]);
        sct_status met = fabric->ops->barrier(fabric);
        status = status ? status : met;
    }
    job->arrived = ++job->sent;
    return status;
}

/* Whether a rank adds to all of a slice of C itself. */
static bool at_hand(const sct_job *job, const sct_operand *c) {
    sct_fragments fragments = sct_operand_begin(c);
    sct_fragment f;
    while (sct_fragments_next(&fragments, &f))
        if (!sct_job_peer(job, SCT_MAT_C, f.place.rank))
            return false;
    return true;
}

/* What is at hand does not wait for what travels. */
sct_status sct_results_accumulate(sct_job *job, const sct_task *task) {
    if (in_rounds(job))
        return accumulate_in_turns(job, task);
    int64_t slot = task->slot[SCT_MAT_C], most = job->plan->options.accumulates_in_flight;
    if (at_hand(job, &task->operand[SCT_MAT_C])) {
        sct_status status = send(job, task, -1);
        return status ? status : vacate(job, slot);
    }
    sct_status status = arrive(job, most - 1);
    job->leaving[job->sent++ % most] = slot;
    return status ? status : send(job, task, -1);
}

sct_status sct_job_settle(sct_job *job) {
    sct_status status = SCT_OK;
    while (in_rounds(job) && job->sent < job->rounds) {
        sct_status taken = accumulate_in_turns(job, NULL);
        status = status ? status : taken;
    }
    return status ? status : arrive(job, 0);
}
