/* move.c - submits moves, as 2D copies. */
#include "device/cuda/symmetric.h"

#include "base/checked.h"

/* The longest distance between lines for which CUDA has 2D copies. */
static const int64_t longest_pitch = INT32_MAX;

/* Between GPUs that have no access to each other. */
static cudaError_t move_between(cudaStream_t queue, const sct_strided_work *w, int from, int to) {
    size_t width = (size_t)w->count, lines = (size_t)w->lines;
    struct cudaMemcpy3DPeerParms copy = {
        .srcPtr = {(void *)w->from, (size_t)w->from_ld, width, lines},
        .srcDevice = from,
        .dstPtr = {w->to, (size_t)w->to_ld, width, lines},
        .dstDevice = to,
        .extent = {width, lines, 1}};
    return cudaMemcpy3DPeerAsync(&copy, queue);
}

static cudaError_t move_lines(sct_stream *stream, const sct_strided_work *w) {
    const sct_cuda_device *device = stream->device;
    sct_cuda_gpu *from = NULL, *to = NULL;
    cudaError_t error =
        device->context->peers ? cudaSuccess : sct_cuda_find_owner(device, w->from, &from);
    if (!error && !device->context->peers)
        error = sct_cuda_find_owner(device, w->to, &to);
    if (error)
        return error;
    if (from && to && from != to)
        return move_between(stream->stream, w, from->id, to->id);
    return cudaMemcpy2DAsync(w->to, (size_t)w->to_ld, w->from, (size_t)w->from_ld, (size_t)w->count,
                             (size_t)w->lines, cudaMemcpyDefault, stream->stream);
}

/* Lines from `first` on. A single one may have any distance to the next. */
static sct_strided_work part_of(const sct_strided_work *w, int64_t first, int64_t lines) {
    sct_strided_work part = *w;
    part.from = (const char *)w->from + first * w->from_ld;
    part.to = (char *)w->to + first * w->to_ld;
    part.lines = lines;
    if (lines == 1)
        part.from_ld = part.to_ld = w->count;
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
        error = move_lines(stream, &part);
    }
    return sct_cuda_check(error, "move memory");
}
