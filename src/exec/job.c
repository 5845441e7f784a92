/* job.c - binds a plan to memory, and runs it: prepare C, multiply, reduce replicas. */
#include "exec/job.h"

#include "base/checked.h"
#include "base/hash.h"
#include "base/status.h"
#include "exec/contributions.h"
#include "exec/copy.h"
#include "exec/scratch.h"

#include <stdlib.h>
#include <string.h>

/* Makes the tables of slots, and the room for their transfers. */
static sct_status make_slots(sct_job *job) {
    sct_job_workspace *w = &job->workspace;
    int64_t transfers = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        const sct_slots *slots = &job->plan->slots[matrix];
        transfers += slots->count * slots->fragments;
        w->slot[matrix] = calloc((size_t)slots->count + 1, sizeof *w->slot[matrix]);
        if (!w->slot[matrix])
            return sct_fail(SCT_NO_MEMORY, "no memory for %lld slots", (long long)slots->count);
    }
    size_t in_flight = (size_t)job->plan->options.accumulates_in_flight;
    w->events = malloc(((size_t)transfers + 1) * sizeof *w->events);
    w->slots_in_flight = malloc(in_flight * sizeof *w->slots_in_flight);
    if (!w->events || !w->slots_in_flight)
        return sct_fail(SCT_NO_MEMORY, "no memory for %lld transfers", (long long)transfers);
    sct_event *next = w->events;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        for (int64_t i = 0; i < job->plan->slots[matrix].count; i++) {
            w->slot[matrix][i].transfers.event = next;
            next += job->plan->slots[matrix].fragments;
        }
    return SCT_OK;
}

size_t sct_job_workspace_bytes(const sct_plan *plan) {
    return (size_t)plan->cost.workspace - plan->sums_bytes;
}

/* In memory that is lent, or in the job's own. */
static sct_status make_workspace(sct_job *job, char *lent) {
    sct_job_workspace *w = &job->workspace;
    size_t bytes = sct_job_workspace_bytes(job->plan);
    if (bytes == 0)
        return SCT_OK;
    if (!lent && !(w->own = job->context.device->ops->alloc(job->context.device, bytes)))
        return sct_fail(SCT_NO_MEMORY, "no memory for a workspace of %zu bytes", bytes);
    char *next = lent ? lent : w->own;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        w->memory[matrix] = next;
        next += (size_t)job->plan->slots[matrix].count * job->plan->slots[matrix].bytes;
    }
    w->reduce_buffer = next;
    return SCT_OK;
}

static sct_status make_streams(sct_job *job) {
    sct_job_workspace *w = &job->workspace;
    sct_device *device = job->context.device;
    int wanted = 1 + (int)sct_min(job->plan->options.products_in_flight, SCT_MOST_STREAMS);
    sct_status status = SCT_OK;
    while (w->streams < wanted && !status) {
        status = device->ops->stream_open(device, &w->stream[w->streams]);
        w->streams += !status;
    }
    return status ? status : device->ops->stream_open(device, &w->adds);
}

sct_status sct_job_wake(sct_job *job) {
    sct_status status = job->workspace.own ? SCT_OK : make_workspace(job, NULL);
    return status ? status : make_streams(job);
}

void sct_job_shed(sct_job *job) {
    sct_device *device = job->context.device;
    if (job->workspace.own)
        device->ops->release(device, job->workspace.own);
    job->workspace.own = NULL;
}

void sct_job_rest(sct_job *job) {
    sct_job_workspace *w = &job->workspace;
    const sct_device_ops *device = job->context.device->ops;
    if (w->adds)
        device->stream_close(w->adds);
    w->adds = NULL;
    while (w->streams > 0)
        device->stream_close(w->stream[--w->streams]);
}

sct_status sct_job_bind(const sct_plan *plan, const sct_exec_context *context,
                        const sct_bound bound[SCT_MATS], void *workspace, sct_job **job) {
    sct_job *made = calloc(1, sizeof *made);
    if (!made)
        return sct_no_memory("a job");
    made->plan = sct_plan_hold(plan);
    made->context = *context;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        made->matrices.bound[matrix] = made->given[matrix] = bound[matrix];
    int64_t slots[2] = {plan->slots[SCT_MAT_A].count, plan->slots[SCT_MAT_B].count};
    sct_status status = sct_walker_create(plan, slots, &made->workspace.walker);
    if (!status && !(made->workspace.multiplied = calloc((size_t)made->workspace.walker.room,
                                                         sizeof *made->workspace.multiplied)))
        status = sct_no_memory("a job");
    if (!status)
        status = sct_contributions_prepare(made);
    if (!status)
        status = make_slots(made);
    if (!status)
        status = make_workspace(made, workspace);
    if (!status)
        status = make_streams(made);
    if (status)
        sct_job_destroy(made);
    else
        *job = made;
    return status;
}

/* Collective: opens device copies. */
static sct_status open_copies(sct_job *job) {
    sct_status status = SCT_OK;
    for (int matrix = 0; matrix < SCT_MATS && !status; matrix++)
        status =
            sct_device_copy_open(&job->context, &job->given[matrix], &job->matrices.bound[matrix]);
    return status;
}

/* Collective: opens separate sums. */
static sct_status open_sums(sct_job *job) {
    sct_bound sums;
    sct_status status = sct_scratch_open(&job->context, &job->matrices.bound[SCT_MAT_C],
                                         job->plan->product.type[SCT_MAT_C], &sums);
    if (status)
        return status;
    job->matrices.c = job->matrices.bound[SCT_MAT_C];
    job->matrices.bound[SCT_MAT_C] = sums;
    return SCT_OK;
}

sct_status sct_job_open(sct_job *job) {
    sct_status status = open_copies(job);
    if (!status && sct_product_rounds(&job->plan->product))
        status = open_sums(job);
    return status;
}

/* C itself, not its sums. */
static const sct_bound *result_of(const sct_job *job) {
    const sct_job_matrices *m = &job->matrices;
    return m->c.segment ? &m->c : &m->bound[SCT_MAT_C];
}

static void close_scratch(sct_job *job, bool keep) {
    sct_job_matrices *m = &job->matrices;
    if (m->c.segment) {
        sct_scratch_close(&job->context, &m->bound[SCT_MAT_C], keep);
        m->bound[SCT_MAT_C] = m->c;
        m->c = (sct_bound){.segment = NULL};
    }
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        if (m->bound[matrix].segment != job->given[matrix].segment)
            sct_device_copy_close(&job->context, &job->given[matrix], &m->bound[matrix], keep);
        m->bound[matrix] = job->given[matrix];
    }
}

void sct_job_close(sct_job *job) {
    close_scratch(job, true);
}

void sct_job_destroy(sct_job *job) {
    if (!job)
        return;
    sct_fabric *fabric = job->context.fabric;
    sct_job_workspace *w = &job->workspace;
    sct_fabric_enter(fabric);
    sct_job_rest(job);
    close_scratch(job, false);
    sct_job_shed(job);
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        free(w->slot[matrix]);
    free(w->events);
    free(w->slots_in_flight);
    free(w->turns);
    free(w->multiplied);
    sct_walker_clear(&w->walker);
    sct_plan_destroy((sct_plan *)job->plan);
    free(job);
    sct_fabric_leave(fabric, SCT_OK);
}

/* True if no product is needed: C = beta C. */
static bool only_scales(const sct_job *job) {
    const sct_product *product = &job->plan->product;
    return product->size[SCT_DIM_K] == 0 ||
           sct_scalar_is(product->type[SCT_MAT_C], job->run.alpha, 0);
}

/* The factor that this rank's part of C starts from: replica 0 from beta, the others from 0, unless
 * all become beta C. */
static sct_scalar first_factor(const sct_job *job) {
    const sct_bound *c = &job->matrices.bound[SCT_MAT_C];
    bool counts = sct_layout_home(c->layout, job->plan->rank) == 0 ||
                  (only_scales(job) && job->plan->options.result != SCT_RESULT_PARTIAL);
    return counts ? job->run.beta : sct_scalar_real(c->type, 0);
}

/* Whether the run leaves this rank's part of C alone. Its bits are then kept, which a conversion on
 * a device may not do. */
static bool leaves_c_alone(const sct_job *job) {
    return only_scales(job) &&
           sct_scalar_is(job->matrices.bound[SCT_MAT_C].type, first_factor(job), 1);
}

/* Prepares C, unless the first products apply beta. */
static sct_status prepare_c(sct_job *job) {
    const sct_bound *c = &job->matrices.bound[SCT_MAT_C];
    sct_status status = SCT_OK;
    if (leaves_c_alone(job) || job->run.direct)
        return SCT_OK;
    if (job->matrices.c.segment && !sct_scalar_is(c->type, job->run.beta, 0))
        status = sct_bound_convert(&job->context, &job->matrices.c, c, job->workspace.stream[0]);
    if (status || (!only_scales(job) && job->plan->beta_in_product))
        return status;
    return sct_bound_scale(&job->context, c, first_factor(job), job->workspace.stream[0]);
}

/* Loads what the run reads of matrices that are memory of the host. */
static sct_status load(sct_job *job) {
    const sct_bound *c = result_of(job);
    const sct_bound *used[SCT_MATS] = {&job->matrices.bound[SCT_MAT_A],
                                       &job->matrices.bound[SCT_MAT_B], c};
    sct_status status = SCT_OK;
    for (int matrix = 0; matrix < SCT_MATS && !status; matrix++) {
        bool reads = matrix == SCT_MAT_C
                         ? !sct_scalar_is(job->plan->product.type[SCT_MAT_C], job->run.beta, 0)
                         : !only_scales(job);
        if (reads)
            status = sct_device_copy_load(&job->context, &job->given[matrix], used[matrix],
                                          job->workspace.stream[0]);
    }
    return status;
}

/* Collective: stores C, if it is memory of the host. */
static sct_status store(sct_job *job) {
    const sct_bound *c = result_of(job);
    const sct_bound *given = &job->given[SCT_MAT_C];
    if (!given->needs_copy)
        return SCT_OK;
    return sct_fabric_agree(job->context.fabric, sct_device_copy_store(&job->context, c, given,
                                                                       job->workspace.stream[0]));
}

static bool any_copied(const sct_job *job) {
    return job->given[SCT_MAT_A].needs_copy || job->given[SCT_MAT_B].needs_copy;
}

/* Collective: which rank is at another run than rank 0. */
static sct_status different_runs(sct_fabric *fabric, const sct_collective_call *mine,
                                 const sct_common *common) {
    sct_odd_rank odd;
    uint64_t factors = sct_hash_more(sct_hash_of_nothing, &mine->alpha, sizeof mine->alpha);
    factors = sct_hash_more(factors, &mine->beta, sizeof mine->beta);
    sct_status status = sct_fabric_find_odd(fabric, common->number ? factors : mine->number, &odd);
    if (status)
        return status;
    return sct_fail(SCT_DISAGREE,
                    common->number ? "rank %d has a different alpha or beta from rank 0"
                                   : "rank %d runs a different job from rank 0",
                    odd.rank);
}

static sct_status agree_on_run(sct_job *job, sct_status status, sct_call_kind kind,
                               sct_scalar alpha, sct_scalar beta) {
    sct_fabric *fabric = job->context.fabric;
    const sct_collective_call mine = {
        .status = status, .kind = kind, .number = job->number, .alpha = alpha, .beta = beta};
    sct_common common;
    if ((status = sct_calls_compare(fabric, &mine, &common)))
        return status;
    return common.number && common.factors ? SCT_OK : different_runs(fabric, &mine, &common);
}

/* Has the other streams of the job follow the first. */
static sct_status spread(const sct_job *job) {
    const sct_job_workspace *w = &job->workspace;
    const sct_device_ops *device = job->context.device->ops;
    sct_event first = device->record(w->stream[0]);
    sct_status status = SCT_OK;
    for (int i = 1; i < w->streams && !status; i++)
        status = device->follow(w->stream[i], first);
    return status;
}

/* Has the first stream of the job follow the others. */
static sct_status gather(const sct_job *job) {
    const sct_job_workspace *w = &job->workspace;
    const sct_device_ops *device = job->context.device->ops;
    sct_status status = device->follow(w->stream[0], device->record(w->adds));
    for (int i = 1; i < w->streams && !status; i++)
        status = device->follow(w->stream[0], device->record(w->stream[i]));
    return status;
}

sct_status sct_job_begin(sct_job *job, sct_status status, sct_scalar alpha, sct_scalar beta) {
    status = agree_on_run(job, status, SCT_CALL_RUN, alpha, beta);
    return status ? status : sct_job_enter(job, alpha, beta);
}

sct_status sct_job_enter(sct_job *job, sct_scalar alpha, sct_scalar beta) {
    sct_fabric *fabric = job->context.fabric;
    job->run.alpha = alpha;
    job->run.beta = beta;
    job->run.direct = job->matrices.c.segment && job->plan->once &&
                      job->context.device->half_products && !only_scales(job);
    job->run.begun = load(job);
    if (!job->run.begun)
        job->run.begun = prepare_c(job);
    /* with C stationary, no other rank writes it */
    bool alone = sct_work_keeps(&job->plan->work, SCT_MAT_C) && !any_copied(job);
    sct_status status = SCT_OK;
    if (!alone)
        status = fabric->ops->order(fabric, job->run.begun, job->workspace.stream[0]);
    else if (!job->run.begun)
        job->run.begun = spread(job);
    job->run.running = !status;
    if (status)
        sct_job_abandon(job);
    return status;
}

static sct_status round_c(sct_job *job) {
    if (!job->matrices.c.segment)
        return SCT_OK;
    sct_status status = SCT_OK;
    if (!leaves_c_alone(job) && !job->run.direct)
        status = sct_bound_convert(&job->context, &job->matrices.bound[SCT_MAT_C], &job->matrices.c,
                                   job->workspace.stream[0]);
    sct_status waited =
        job->run.defers ? SCT_OK : sct_device_drain(job->context.device, job->workspace.stream[0]);
    return sct_exec_meet(&job->context, status ? status : waited, job->workspace.stream[0],
                         job->run.defers);
}

static sct_status add_replicas(sct_job *job) {
    const sct_plan *plan = job->plan;
    if (plan->options.result == SCT_RESULT_PARTIAL ||
        job->matrices.bound[SCT_MAT_C].layout->replicas == 1)
        return SCT_OK;
    sct_mover *mover = &job->workspace.mover;
    *mover = (sct_mover){.context = job->context,
                         .stream = job->workspace.stream[0],
                         .defers = job->run.defers,
                         .buffer = job->workspace.reduce_buffer,
                         .buffer_bytes = plan->reduce_bytes};
    sct_status status = sct_replicas_sum(mover, &job->matrices.bound[SCT_MAT_C],
                                         plan->options.result == SCT_RESULT_ORIGIN);
    sct_mover_close(mover);
    return status;
}

/* Runs the steps, and returns when they are done. In a deferred run it returns when they are
 * submitted; they are done when the job's first stream has run all its commands. */
static sct_status run_steps(sct_job *job) {
    sct_status status = job->run.begun;
    bool scales = only_scales(job);
    if (!scales && !status)
        status = sct_walk(&job->workspace.walker, &sct_interpreter, job);
    if (!scales) {
        sct_status settled = sct_job_settle(job);
        status = status ? status : settled;
    }
    if (!status)
        status = job->run.defers ? gather(job) : sct_job_drain(job);
    if (status)
        sct_job_abandon(job);
    return status;
}

/* What comes after the steps of all ranks. */
static sct_status complete(sct_job *job) {
    sct_fabric *fabric = job->context.fabric;
    sct_status status =
        job->run.defers ? fabric->ops->order(fabric, SCT_OK, job->workspace.stream[0]) : SCT_OK;
    if (!status && !only_scales(job))
        status = add_replicas(job);
    if (!status)
        status = round_c(job);
    return status ? status : store(job);
}

sct_status sct_job_finish(sct_job *job, bool defer) {
    if (!job->run.running)
        return sct_fail(SCT_BAD_ARGUMENT, "the job is not running: start it first");
    sct_fabric *fabric = job->context.fabric;
    job->run.running = false;
    job->run.defers = defer && !job->given[SCT_MAT_C].needs_copy;
    job->run.sent = job->run.arrived = 0;
    for (int64_t i = 0; i < job->plan->slots[SCT_MAT_C].count; i++)
        job->workspace.slot[SCT_MAT_C][i].claimed = false;
    sct_status status =
        agree_on_run(job, run_steps(job), defer ? SCT_CALL_DEFERRED_RUN : SCT_CALL_RUN,
                     job->run.alpha, job->run.beta);
    if (!status)
        status = complete(job);
    if (job->run.defers && (status || job->watch.observer.event))
        sct_job_drain(job);
    if (job->run.defers && status)
        status = sct_fabric_agree(fabric, status);
    if (job->watch.observer.event)
        sct_watch_report(&job->watch);
    return status;
}

/* ---- Slots ---- */

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
