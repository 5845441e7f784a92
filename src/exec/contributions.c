/* contributions.c - sends contributions from slots to the owners of C, in the order in which they
 * were handed over. */
#include "exec/contributions.h"

#include "exec/job.h"

#include "base/status.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

int64_t sct_contributions_claim_slot(void *self) {
    sct_slot *slot = ((sct_job *)self)->workspace.slot[SCT_MAT_C];
    int64_t index = 0;
    while (slot[index].claimed)
        index++;
    slot[index].claimed = true;
    return index;
}

/* Frees a slot: the next product into it follows its contribution. */
static sct_status free_slot(sct_job *job, int64_t index) {
    sct_slot *slot = &job->workspace.slot[SCT_MAT_C][index];
    slot->claimed = false;
    return sct_slot_join(job, job->workspace.adds, slot);
}

/* Frees the slots of the contributions in flight, except the last `others`. */
static sct_status free_all_but(sct_job *job, int64_t others) {
    int64_t most = job->plan->options.accumulates_in_flight;
    sct_status status = SCT_OK;
    for (; job->run.sent - job->run.arrived > others && !status; job->run.arrived++)
        status = free_slot(job, job->workspace.slots_in_flight[job->run.arrived % most]);
    return status;
}

/* Later accumulates begin when no more than the plan says are in flight. */
static sct_status put_in_flight(sct_job *job, int64_t slot) {
    int64_t most = job->plan->options.accumulates_in_flight;
    sct_status status = free_all_but(job, most - 1);
    job->workspace.slots_in_flight[job->run.sent++ % most] = slot;
    return status;
}

sct_status sct_contributions_join(sct_job *job) {
    return free_all_but(job, 0);
}

static void begin_watch(sct_job *job, const sct_task *task, int owner, sct_slot *slot) {
    if (!job->watch.observer.event)
        return;
    sct_trace_event traced =
        sct_slot_trace_event(job, &task->operand[SCT_MAT_C], owner, SCT_LANE_ACCUMULATE,
                             SCT_ACCUMULATING, SCT_SCATTERING);
    traced.step = task->step;
    if (traced.bytes > 0)
        slot->watched =
            sct_watch_begin(&job->watch, job->context.device, job->workspace.adds, &traced);
}

/* Starts accumulating the fragments of a contribution that belong to one owner (-1: all). */
static sct_status send(sct_job *job, const sct_task *task, int owner) {
    const sct_operand *c = &task->operand[SCT_MAT_C];
    sct_slot *slot = &job->workspace.slot[SCT_MAT_C][task->slot[SCT_MAT_C]];
    sct_memory from = sct_slot_memory(job, c, c->type, task->slot[SCT_MAT_C]);
    sct_fabric *fabric = job->context.fabric;
    sct_fragments fragments = sct_operand_begin(c);
    sct_fragment f;
    sct_status status =
        job->context.device->ops->follow(job->workspace.adds, *sct_job_event(job, task->step));
    begin_watch(job, task, owner, slot);
    while (!status && sct_fragments_next(&fragments, &f)) {
        if (owner >= 0 && f.place.rank != owner)
            continue;
        sct_target to = sct_bound_target(&job->matrices.bound[SCT_MAT_C], f.place, f.line, f.at,
                                         f.lines, f.count);
        void *memory = sct_memory_at(&from, f.to_line, f.to_at, sct_type_bytes(c->type));
        sct_event reached;
        status = sct_fabric_accumulate(fabric, job->workspace.adds, c->type, memory, from.pitch,
                                       &to, &reached);
        if (!status)
            sct_transfers_add(&slot->transfers, reached);
    }
    if (slot->transfers.count == 0)
        sct_slot_end_watch(job, job->workspace.adds, slot);
    slot->ready = job->context.device->ops->record(job->workspace.adds);
    return status;
}

static bool in_rounds(const sct_job *job) {
    return job->plan->options.ordered && !job->plan->exclusive;
}

enum { BITS = CHAR_BIT * sizeof(uint64_t) };

static size_t turn_words(const sct_job *job) {
    return ((size_t)job->context.fabric->size + BITS - 1) / BITS;
}

sct_status sct_contributions_prepare(sct_job *job) {
    if (!in_rounds(job))
        return SCT_OK;
    job->workspace.turns = malloc(turn_words(job) * sizeof *job->workspace.turns);
    return job->workspace.turns ? SCT_OK : sct_no_memory("the turns of a job");
}

/* Sets the bits of the turns of this rank. */
static void mark_turns(const sct_job *job, const sct_task *task, uint64_t *turns) {
    const sct_fabric *fabric = job->context.fabric;
    sct_fragments fragments = sct_operand_begin(&task->operand[SCT_MAT_C]);
    sct_fragment f;
    while (sct_fragments_next(&fragments, &f)) {
        int turn = (f.place.rank - fabric->rank + fabric->size) % fabric->size;
        turns[turn / BITS] |= (uint64_t)1 << turn % BITS;
    }
}

/* Collective: finds in which turns of the round any rank sends, as bits. When all have given
 * theirs, what they sent in the last round has arrived. */
static sct_status find_turns(sct_job *job, const sct_task *task) {
    sct_fabric *fabric = job->context.fabric;
    uint64_t *turns = job->workspace.turns;
    memset(turns, 0, turn_words(job) * sizeof *turns);
    if (task)
        mark_turns(job, task, turns);
    return fabric->ops->reduce(fabric, SCT_ANY_BIT, turns, turn_words(job));
}

static sct_status take_turn(sct_job *job, const sct_task *task, int turn) {
    const sct_fabric *fabric = job->context.fabric;
    sct_status status = SCT_OK;
    if (task)
        status = send(job, task, (fabric->rank + turn) % fabric->size);
    if (task && !status)
        status = free_slot(job, task->slot[SCT_MAT_C]);
    return status ? status : sct_device_drain(job->context.device, job->workspace.adds);
}

/* Sends one slice of each rank, or none. In turn t of a round, rank r sends to owner r + t, so that
 * each owner receives from one rank. Turns in which nobody sends are left out. All ranks meet
 * between turns, and before a round, so no circle of waiting ranks can form. */
static sct_status accumulate_in_turns(sct_job *job, const sct_task *task) {
    sct_fabric *fabric = job->context.fabric;
    sct_status status = SCT_OK, met = find_turns(job, task);
    bool first = true;
    for (int turn = 0; turn < fabric->size && !met; turn++) {
        if (!(job->workspace.turns[turn / BITS] >> turn % BITS & 1))
            continue;
        if (!first)
            met = fabric->ops->barrier(fabric);
        first = false;
        if (!met && !status)
            status = take_turn(job, task, turn);
    }
    job->run.arrived = ++job->run.sent;
    return status ? status : met;
}

/* True if the rank itself adds all of a slice of C, through shared memory. */
static bool is_added_locally(const sct_job *job, const sct_operand *c) {
    sct_fragments fragments = sct_operand_begin(c);
    sct_fragment f;
    while (sct_fragments_next(&fragments, &f))
        if (!sct_job_peer(job, SCT_MAT_C, f.place.rank))
            return false;
    return true;
}

/* Slices that the rank adds itself do not wait for those in flight. */
sct_status sct_contributions_send(sct_job *job, const sct_task *task) {
    int64_t slot = task->slot[SCT_MAT_C];
    if (in_rounds(job))
        return accumulate_in_turns(job, task);
    if (is_added_locally(job, &task->operand[SCT_MAT_C])) {
        sct_status status = send(job, task, -1);
        if (status || job->workspace.slot[SCT_MAT_C][slot].transfers.count > 0)
            return status ? status : put_in_flight(job, slot);
        return free_slot(job, slot);
    }
    sct_status status = put_in_flight(job, slot);
    return status ? status : send(job, task, -1);
}

sct_status sct_job_settle(sct_job *job) {
    sct_status status = SCT_OK;
    while (in_rounds(job) && job->run.sent < job->rounds) {
        sct_status taken = accumulate_in_turns(job, NULL);
        status = status ? status : taken;
    }
    return status ? status : free_all_but(job, 0);
}
