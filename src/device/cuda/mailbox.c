/* mailbox.c - contributions that a GPU adds to its own memory: the contributor copies them into a
 * mailbox there, and submits the addition to a stream of the owner.
 *
 * That stream belongs to the mailbox and runs one addition after another. It is given work by the
 * threads of all ranks, each with the mailbox locked; none of them waits for the GPU. */
#include "device/cuda/two_steps.h"

enum { SLOT_BYTES = 1 << 23 };

static cudaError_t open_box(sct_cuda_gpu *gpu) {
    sct_cuda_mailbox *box = &gpu->mailbox;
    cudaError_t error = cudaSetDevice(gpu->id);
    if (!error && !box->adds)
        error = cudaStreamCreateWithPriority(&box->adds, cudaStreamNonBlocking, gpu->priority);
    for (int i = 0; i < SCT_CUDA_SLOTS && !error; i++)
        if (!box->emptied[i])
            error = cudaEventCreateWithFlags(&box->emptied[i], cudaEventDisableTiming);
    if (!error && !box->memory)
        error = cudaMalloc((void **)&box->memory, SCT_CUDA_SLOTS * (size_t)SLOT_BYTES);
    return error;
}

void sct_cuda_mailbox_close(sct_cuda_gpu *gpu) {
    sct_cuda_mailbox *box = &gpu->mailbox;
    if (box->memory)
        cudaFree(box->memory);
    for (int i = 0; i < SCT_CUDA_SLOTS; i++)
        if (box->emptied[i])
            cudaEventDestroy(box->emptied[i]);
    if (box->adds)
        cudaStreamDestroy(box->adds);
    pthread_mutex_destroy(&box->lock);
}

/* Copies a part into a slot of the mailbox, once that is empty. */
static sct_status fill(sct_stream *stream, sct_cuda_mailbox *box, int slot, size_t bytes,
                       const sct_strided_work *part) {
    sct_strided_work move = {.lines = part->lines,
                             .count = part->count * (int64_t)bytes,
                             .from = part->from,
                             .from_ld = part->from_ld * (int64_t)bytes,
                             .to = box->memory + (size_t)slot * SLOT_BYTES,
                             .to_ld = part->count * (int64_t)bytes};
    cudaError_t error = cudaStreamWaitEvent(stream->stream, box->emptied[slot], 0);
    sct_status status = sct_cuda_check(error, "wait for a mailbox");
    stream->marked = false;
    if (!status)
        status = sct_cuda_move(stream, &move);
    if (status)
        return status;
    sct_event filled = stream->device->base.ops->record(stream);
    return sct_cuda_check(sct_cuda_lead(filled, box->adds), "use a mailbox");
}

/* Has the owner add what is in a slot. */
static sct_status empty(sct_cuda_gpu *owner, int slot, sct_type type,
                        const sct_strided_work *part) {
    sct_strided_work add = *part;
    add.from = owner->mailbox.memory + (size_t)slot * SLOT_BYTES;
    add.from_ld = part->count;
    sct_status status = sct_cuda_check(cudaSetDevice(owner->id), "use a device");
    if (!status)
        status = sct_cuda_add(owner->mailbox.adds, owner, type, &add);
    if (status)
        return status;
    return sct_cuda_check(cudaEventRecord(owner->mailbox.emptied[slot], owner->mailbox.adds),
                          "empty a mailbox");
}

/* With the mailbox locked. The stream goes on when the last part has been added. */
static sct_status mail(sct_stream *stream, sct_cuda_gpu *owner, sct_type type,
                       const sct_strided_work *w) {
    size_t bytes = sct_type_bytes(type);
    sct_split cut = sct_split_make(w->lines, (size_t)w->count * bytes, SLOT_BYTES, bytes);
    sct_cuda_mailbox *box = &owner->mailbox;
    sct_status status = sct_cuda_check(open_box(owner), "make a mailbox");
    for (int64_t i = 0; i < cut.pieces && !status; i++) {
        sct_rectangle piece = sct_split_piece(&cut, i);
        sct_strided_work part = sct_cuda_part_of(w, bytes, bytes, &piece);
        box->last = (box->last + 1) % SCT_CUDA_SLOTS;
        status = fill(stream, box, box->last, bytes, &part);
        if (!status)
            status = empty(owner, box->last, type, &part);
    }
    stream->marked = false;
    if (!status)
        status = sct_cuda_check(cudaStreamWaitEvent(stream->stream, box->emptied[box->last], 0),
                                "wait for an addition");
    if (status && box->adds) /* no one else waits for parts that were submitted */
        cudaStreamSynchronize(box->adds);
    return status;
}

sct_status sct_cuda_mail(sct_stream *stream, sct_cuda_gpu *owner, sct_type type,
                         const sct_strided_work *work) {
    pthread_mutex_lock(&owner->mailbox.lock);
    sct_status status = mail(stream, owner, type, work);
    pthread_mutex_unlock(&owner->mailbox.lock);
    cudaError_t error = cudaSetDevice(stream->device->gpu->id);
    return status ? status : sct_cuda_check(error, "use a device");
}
