/* interpret.c - runs a plan: the actor that does what the walk says, get -> product -> accumulate.
 *
 * The host submits all commands ahead of time, and events put them in order. A product begins after
 * the gets of its operands. An accumulate, which is on a stream of its own, begins after its
 * product. The next product into the same slot begins after that accumulate, and a get that reuses
 * a slot begins after the step that read the slot. The host itself waits in three cases only: a
 * stream has to come after a transfer that its device cannot wait for, `sync`, and `ordered`. If
 * the device is the processor, a command runs as soon as it is submitted. */
#include "exec/contributions.h"
#include "exec/gemm_pieces.h"
#include "exec/job.h"

#include "base/checked.h"

#include <math.h>

static sct_status copy(sct_job *job, sct_type type, int64_t lines, int64_t count, const void *from,
                       int64_t from_ld, void *to, int64_t to_ld) {
    sct_command command = {.work = SCT_DO_COPY,
                           .type = type,
                           .strided = {.lines = lines,
                                       .count = count,
                                       .from = from,
                                       .from_ld = from_ld,
                                       .to = to,
                                       .to_ld = to_ld}};
    return job->context.device->ops->submit(job->workspace.stream[0], &command);
}

static void count_in_place(sct_job *job, const sct_fragment *f, size_t element) {
    if (f->place.rank != job->plan->rank)
        *job->context.bytes_in_place += (uint64_t)f->lines * (uint64_t)f->count * element;
}

static sct_status fetch_fragment(sct_job *job, int matrix, const sct_fragment *f,
                                 const sct_memory *to, sct_slot *slot) {
    sct_type type = job->matrices.bound[matrix].type;
    size_t bytes = sct_type_bytes(type);
    void *memory = sct_memory_at(to, f->to_line, f->to_at, bytes);
    const sct_memory *near = sct_job_peer(job, matrix, f->place.rank);
    if (near) {
        const sct_memory *block = &near[f->place.block];
        count_in_place(job, f, bytes);
        return copy(job, type, f->lines, f->count, sct_memory_at(block, f->line, f->at, bytes),
                    sct_memory_ld(block, bytes), memory, sct_memory_ld(to, bytes));
    }
    sct_fabric *fabric = job->context.fabric;
    sct_target from = sct_bound_target(&job->matrices.bound[matrix], f->place, f->line, f->at,
                                       f->lines, f->count);
    sct_event reached;
    sct_status status =
        sct_fabric_get(fabric, job->workspace.stream[0], &from, memory, to->pitch, &reached);
    if (!status)
        sct_transfers_add(&slot->transfers, reached);
    return status;
}

static void begin_watch(sct_job *job, const sct_operand *operand, sct_slot *slot) {
    if (!job->watch.observer.event)
        return;
    sct_trace_event traced =
        sct_slot_trace_event(job, operand, -1, SCT_LANE_GET, SCT_GETTING, SCT_GATHERING);
    slot->watched =
        sct_watch_begin(&job->watch, job->context.device, job->workspace.stream[0], &traced);
}

/* A slice that was prefetched may be evicted before its use: then it comes first. */
static sct_status fetch(void *self, const sct_operand *operand, int64_t index) {
    sct_job *job = self;
    sct_slot *slot = &job->workspace.slot[operand->matrix][index];
    sct_memory to = sct_slot_memory(job, operand, operand->type, index);
    sct_status status = sct_slot_join(job, job->workspace.stream[0], slot);
    slot->filled = false;
    begin_watch(job, operand, slot);
    sct_fragments fragments = sct_operand_begin(operand);
    sct_fragment fragment;
    while (!status && sct_fragments_next(&fragments, &fragment))
        status = fetch_fragment(job, operand->matrix, &fragment, &to, slot);
    if (slot->transfers.count == 0)
        sct_slot_end_watch(job, job->workspace.stream[0], slot);
    slot->ready = job->context.device->ops->record(job->workspace.stream[0]);
    return status;
}

/* The type in which an operand is multiplied, and has in its slot. */
static sct_type factor_type(const sct_job *job, const sct_operand *operand) {
    bool as_stored = !operand->widen || job->context.device->half_products;
    return as_stored ? operand->type : sct_job_sum_type(job);
}

/* Marks the slot as filled for commands that follow `ready`. */
static sct_status mark_filled(sct_job *job, const sct_operand *operand, int64_t index) {
    sct_slot *slot = &job->workspace.slot[operand->matrix][index];
    if (slot->filled)
        return SCT_OK;
    slot->filled = true;
    sct_status status = sct_slot_join(job, job->workspace.stream[0], slot);
    sct_type type = factor_type(job, operand);
    if (status || !(operand->conjugate || type != operand->type))
        return status;
    int64_t ld = operand->line_size;
    sct_command command = {
        .work = type != operand->type ? SCT_DO_CONVERT : SCT_DO_COPY,
        .type = operand->type,
        .strided = {.lines = operand->line_count,
                    .count = ld,
                    .from = sct_slot_memory(job, operand, operand->type, index).base,
                    .from_ld = ld,
                    .to = sct_slot_memory(job, operand, type, index).base,
                    .to_ld = ld,
                    .to_type = type,
                    .conjugate = operand->conjugate}};
    status = job->context.device->ops->submit(job->workspace.stream[0], &command);
    slot->ready = job->context.device->ops->record(job->workspace.stream[0]);
    return status;
}

/* An operand of one BLAS call: a fragment in place, or the whole slot; and the indices of C that it
 * covers, relative to the step. */
typedef struct sct_factor {
    char *memory;
    int64_t ld, at, count;
} sct_factor;

static sct_factor factor_in_slot(const sct_job *job, const sct_task *task, int matrix) {
    const sct_operand *operand = &task->operand[matrix];
    sct_type type = factor_type(job, operand);
    sct_memory slot = sct_slot_memory(job, operand, type, task->slot[matrix]);
    int dim = matrix == SCT_MAT_B ? SCT_DIM_N : SCT_DIM_M;
    return (sct_factor){sct_memory_at(&slot, operand->line, operand->at, sct_type_bytes(type)),
                        operand->line_size, 0, task->piece[dim].indices.count};
}

/* The type of what products are written to. */
static sct_type result_type(const sct_job *job) {
    return job->run.direct ? job->matrices.c.type : sct_job_sum_type(job);
}

static sct_factor factor_in_place(const sct_job *job, const sct_operand *operand,
                                  const sct_fragment *f) {
    size_t bytes = sct_type_bytes(operand->matrix == SCT_MAT_C ? result_type(job) : operand->type);
    const sct_memory *block = &sct_job_peer(job, operand->matrix, f->place.rank)[f->place.block];
    bool by_lines = operand->dim[0] != SCT_DIM_K;
    return (sct_factor){sct_memory_at(block, f->line, f->at, bytes), sct_memory_ld(block, bytes),
                        by_lines ? f->to_line : f->to_at, by_lines ? f->lines : f->count};
}

static bool next_factor(const sct_job *job, const sct_task *task, sct_fragments *fragments,
                        sct_factor *factor) {
    const sct_operand *operand = fragments->operand;
    sct_fragment fragment;
    if (!sct_fragments_next(fragments, &fragment))
        return false;
    if (operand->in_place) {
        *factor = factor_in_place(job, operand, &fragment);
        return true;
    }
    fragments->i = operand->lines.count; /* the slot is the only factor */
    *factor = factor_in_slot(job, task, operand->matrix);
    return true;
}

static sct_op blas_op(const sct_product *product, int matrix) {
    if (!sct_product_transposes(product, matrix))
        return SCT_N;
    return sct_product_conjugates(product, matrix) ? SCT_C : SCT_T;
}

static sct_scalar beta_of(const sct_job *job, const sct_task *task) {
    sct_type type = sct_job_sum_type(job);
    if (!task->operand[SCT_MAT_C].in_place)
        return sct_scalar_real(type, task->fresh ? 0 : 1);
    if (!task->fresh || !job->plan->beta_in_product)
        return sct_scalar_real(type, 1);
    bool first = sct_layout_home(job->matrices.bound[SCT_MAT_C].layout, job->plan->rank) == 0;
    return first ? job->run.beta : sct_scalar_real(type, 0);
}

static sct_command product_command(const sct_job *job, const sct_task *task, sct_factor a,
                                   sct_factor b, sct_factor c) {
    const sct_product *product = &job->plan->product;
    bool by_rows = product->layout[SCT_MAT_C]->order == SCT_ROW_MAJOR;
    int64_t offset = by_rows ? a.at * c.ld + b.at : b.at * c.ld + a.at;
    size_t begin = (size_t)offset * sct_type_bytes(result_type(job));
    return (sct_command){.work = SCT_DO_GEMM,
                         .type = factor_type(job, &task->operand[SCT_MAT_A]),
                         .gemm = {.order = product->layout[SCT_MAT_C]->order,
                                  .op_a = blas_op(product, SCT_MAT_A),
                                  .op_b = blas_op(product, SCT_MAT_B),
                                  .m = a.count,
                                  .n = b.count,
                                  .k = task->piece[SCT_DIM_K].indices.count,
                                  .alpha = job->run.alpha,
                                  .a = a.memory,
                                  .lda = a.ld,
                                  .b = b.memory,
                                  .ldb = b.ld,
                                  .beta = beta_of(job, task),
                                  .c = c.memory + begin,
                                  .ldc = c.ld,
                                  .rounds = job->run.direct}};
}

/* The stream of a product. Products into one slice of C share one, so that they cannot overtake
 * each other. */
static sct_stream *stream_of(const sct_job *job, const sct_task *task) {
    int64_t key = task->piece[SCT_DIM_M].indices.first.lo + task->piece[SCT_DIM_N].indices.first.lo;
    return job->workspace.stream[1 + key % (job->workspace.streams - 1)];
}

/* A rank that computes serves others between parts of a product; one whose device computes, when it
 * has submitted the whole. */
static sct_status submit_product(sct_job *job, sct_stream *stream, const sct_command *product) {
    sct_fabric *fabric = job->context.fabric;
    const sct_device *device = job->context.device;
    if (!fabric->needs_progress)
        return device->ops->submit(stream, product);
    double most = device->at_once ? sct_gemm_pieces_limit(product->type) : INFINITY;
    return sct_gemm_pieces_submit(device, stream, product,
                                  sct_gemm_pieces_choose(&product->gemm, most), fabric);
}

/* Counts the bytes of an operand used in place. */
static void count_operand(sct_job *job, const sct_operand *operand) {
    sct_fragments fragments = sct_operand_begin(operand);
    sct_fragment f;
    while (operand->in_place && sct_fragments_next(&fragments, &f))
        count_in_place(job, &f, sct_type_bytes(operand->type));
}

/* Submits the product of each factor of A with each of B. */
static sct_status submit_products(sct_job *job, sct_stream *stream, const sct_task *task) {
    sct_fragments of_c = sct_operand_begin(&task->operand[SCT_MAT_C]);
    sct_fragments of_a = sct_operand_begin(&task->operand[SCT_MAT_A]);
    sct_factor a, b, c;
    sct_status status = SCT_OK;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        count_operand(job, &task->operand[matrix]);
    next_factor(job, task, &of_c, &c);
    while (!status && next_factor(job, task, &of_a, &a)) {
        sct_fragments of_b = sct_operand_begin(&task->operand[SCT_MAT_B]);
        while (!status && next_factor(job, task, &of_b, &b)) {
            sct_command product = product_command(job, task, a, b, c);
            status = submit_product(job, stream, &product);
        }
    }
    return status;
}

static sct_status multiply(void *self, const sct_task *task) {
    sct_job *job = self;
    const sct_device_ops *device = job->context.device->ops;
    sct_stream *stream = stream_of(job, task);
    sct_status status = SCT_OK;
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B && !status; matrix++) {
        int64_t slot = task->slot[matrix];
        if (slot < 0)
            continue;
        status = mark_filled(job, &task->operand[matrix], slot);
        if (!status)
            status = device->follow(stream, job->workspace.slot[matrix][slot].ready);
    }
    if (!status && task->fresh && !task->operand[SCT_MAT_C].in_place)
        status =
            device->follow(stream, job->workspace.slot[SCT_MAT_C][task->slot[SCT_MAT_C]].ready);
    sct_trace_event traced = {.rank = job->plan->rank,
                              .lane = SCT_LANE_COMPUTE,
                              .kind = SCT_MULTIPLYING,
                              .peer = -1,
                              .step = task->step};
    sct_watched *watched = sct_watch_begin(&job->watch, job->context.device, stream, &traced);
    if (!status)
        status = submit_products(job, stream, task);
    sct_watch_end(watched, job->context.device, stream);
    *sct_job_event(job, task->step) = device->record(stream);
    return status || !task->flush ? status : sct_contributions_send(job, task);
}

static sct_status retire(void *self, const sct_task *task) {
    sct_job *job = self;
    return job->context.device->ops->follow(job->workspace.stream[0],
                                            *sct_job_event(job, task->step));
}

/* Waits for the accumulates and prefetches in flight. */
static sct_status settle(void *self) {
    sct_job *job = self;
    sct_status status = sct_contributions_join(job);
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
        for (int64_t i = 0; i < job->plan->slots[matrix].count && !status; i++)
            status = sct_slot_join(job, job->workspace.stream[0], &job->workspace.slot[matrix][i]);
    return status ? status : sct_job_drain(job);
}

const sct_actor sct_interpreter = {.fetch = fetch,
                                   .multiply = multiply,
                                   .claim = sct_contributions_claim_slot,
                                   .retire = retire,
                                   .settle = settle};
