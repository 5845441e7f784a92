/* move.c - submits moves: copies of one line or of a block of lines. */
#include "device/cuda/symmetric.h"
#include "device/cuda/two_steps.h"

#include "base/checked.h"

/* The longest distance between lines for which CUDA has 2D copies. */
static const int64_t longest_pitch = INT32_MAX;

/* The length of a single line is not limited. */
static cudaError_t move_lines(cudaStream_t queue, const sct_strided_work *w) {
    size_t width = (size_t)w->count, lines = (size_t)w->lines;
    if (lines == 1)
        return cudaMemcpyAsync(w->to, w->from, width, cudaMemcpyDefault, queue);
    return cudaMemcpy2DAsync(w->to, (size_t)w->to_ld, w->from, (size_t)w->from_ld, width, lines,
                             cudaMemcpyDefault, queue);
}

/* ---- Without access to the memory of other GPUs ---- */

static cudaError_t move_between(cudaStream_t queue, const sct_strided_work *w, int from, int to) {
    size_t width = (size_t)w->count, lines = (size_t)w->lines;
    if (lines == 1)
        return cudaMemcpyPeerAsync(w->to, to, w->from, from, width, queue);
    struct cudaMemcpy3DPeerParms copy = {
        .srcPtr = {(void *)w->from, (size_t)w->from_ld, width, lines},
        .srcDevice = from,
        .dstPtr = {w->to, (size_t)w->to_ld, width, lines},
        .dstDevice = to,
        .extent = {width, lines, 1}};
    return cudaMemcpy3DPeerAsync(&copy, queue);
}

static sct_status move_without_peers(sct_stream *stream, const sct_strided_work *w,
                                     const void *context);

/* Between another GPU and the host, or itself, through memory of the stream's own GPU. */
static sct_status move_by_own(sct_stream *stream, const sct_strided_work *w) {
    sct_cuda_two_steps how = {
        .from_bytes = 1, .to_bytes = 1, .fill = move_without_peers, .empty = move_without_peers};
    sct_status status = sct_cuda_buffer(stream, &how.buffer);
    return status ? status : sct_cuda_in_two_steps(stream, w, &how);
}

static sct_status move_without_peers(sct_stream *stream, const sct_strided_work *w,
                                     const void *context) {
    sct_cuda_gpu *from = NULL, *to = NULL, *own = stream->device->gpu;
    (void)context;
    cudaError_t error = sct_cuda_find_owner(stream->device, w->from, &from);
    if (!error)
        error = sct_cuda_find_owner(stream->device, w->to, &to);
    bool between = from && to && from != to;
    if (!error && !between && ((from && from != own) || (to && to != own)))
        return move_by_own(stream, w);
    if (!error)
        error = between ? move_between(stream->stream, w, from->id, to->id)
                        : move_lines(stream->stream, w);
    return sct_cuda_check(error, "move memory");
}

/* ---- All moves ---- */

sct_status sct_cuda_move(sct_stream *stream, const sct_strided_work *w) {
    sct_cuda_symmetric *symmetric = stream->device->symmetric;
    size_t offset;
    int rank = symmetric ? sct_cuda_symmetric_rank(symmetric, w->from, &offset) : -1;
    if (rank >= 0)
        return sct_cuda_symmetric_move(stream, w, rank, offset);
    int64_t most = sct_max(w->from_ld, w->to_ld) > longest_pitch ? 1 : w->lines;
    sct_status status = SCT_OK;
    for (int64_t line = 0; line < w->lines && !status; line += most) {
        sct_rectangle lines = {line, 0, sct_min(most, w->lines - line), (size_t)w->count};
        sct_strided_work part = sct_cuda_part_of(w, 1, 1, &lines);
        status = stream->device->context->peers
                     ? sct_cuda_check(move_lines(stream->stream, &part), "move memory")
                     : move_without_peers(stream, &part, NULL);
    }
    return status;
}
