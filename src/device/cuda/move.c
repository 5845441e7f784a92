/* move.c - submits moves: copies of one line or of a block of lines. */
#include "device/cuda/symmetric.h"

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

static cudaError_t move_apart(sct_stream *stream, const sct_strided_work *w);

/* Between the host and another GPU, in two steps, through memory of the stream's own GPU. */
static cudaError_t move_by_own(sct_stream *stream, const sct_strided_work *w) {
    sct_strided_work in = *w, out = *w;
    cudaError_t error = cudaMallocAsync(&in.to, (size_t)(w->lines * w->count), stream->stream);
    if (error)
        return error;
    out.from = in.to;
    in.to_ld = out.from_ld = w->count;
    error = move_apart(stream, &in);
    if (!error)
        error = move_apart(stream, &out);
    cudaError_t freed = cudaFreeAsync(in.to, stream->stream);
    return error ? error : freed;
}

static cudaError_t move_apart(sct_stream *stream, const sct_strided_work *w) {
    sct_cuda_gpu *from, *to, *own = stream->device->gpu;
    cudaError_t error = sct_cuda_find_owner(stream->device, w->from, &from);
    if (!error)
        error = sct_cuda_find_owner(stream->device, w->to, &to);
    if (error)
        return error;
    if (from && to && from != to)
        return move_between(stream->stream, w, from->id, to->id);
    if ((from && from != own) || (to && to != own))
        return move_by_own(stream, w);
    return move_lines(stream->stream, w);
}

/* ---- All moves ---- */

static sct_strided_work part_of(const sct_strided_work *w, int64_t first, int64_t lines) {
    sct_strided_work part = *w;
    part.from = (const char *)w->from + first * w->from_ld;
    part.to = (char *)w->to + first * w->to_ld;
    part.lines = lines;
    return part;
}

sct_status sct_cuda_move(sct_stream *stream, const sct_strided_work *w) {
    const sct_cuda_symmetric *symmetric = stream->device->symmetric;
    size_t offset;
    int rank = symmetric ? sct_cuda_symmetric_rank(symmetric, w->from, &offset) : -1;
    if (rank >= 0)
        return sct_cuda_symmetric_move(stream, w, rank, offset);
    int64_t most = sct_max(w->from_ld, w->to_ld) > longest_pitch ? 1 : w->lines;
    cudaError_t error = cudaSuccess;
    for (int64_t line = 0; line < w->lines && !error; line += most) {
        sct_strided_work part = part_of(w, line, most);
        error = stream->device->context->peers ? move_lines(stream->stream, &part)
                                               : move_apart(stream, &part);
    }
    return sct_cuda_check(error, "move memory");
}
