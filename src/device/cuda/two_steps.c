/* two_steps.c - see two_steps.h. */
#include "device/cuda/two_steps.h"

#include "base/checked.h"

sct_status sct_cuda_buffer(sct_stream *stream, char **buffer) {
    if (!stream->buffer)
        stream->buffer = sct_cuda_slabs_alloc(&stream->device->slabs, SCT_CUDA_BUFFER_BYTES);
    *buffer = stream->buffer;
    return stream->buffer ? SCT_OK : sct_no_memory("a buffer of a stream");
}

sct_strided_work sct_cuda_part_of(const sct_strided_work *work, size_t from_bytes, size_t to_bytes,
                                  int64_t line, int64_t at, int64_t lines, int64_t count) {
    sct_strided_work part = *work;
    part.lines = sct_min(lines, work->lines - line);
    part.count = sct_min(count, work->count - at);
    part.from = (const char *)work->from + (line * work->from_ld + at) * (int64_t)from_bytes;
    part.to = (char *)work->to + (line * work->to_ld + at) * (int64_t)to_bytes;
    return part;
}

static sct_status take_steps(sct_stream *stream, const sct_strided_work *piece,
                             const sct_cuda_two_steps *how) {
    sct_strided_work in = *piece, out = *piece;
    in.to = how->buffer;
    out.from = how->buffer;
    in.to_ld = out.from_ld = piece->count;
    sct_status status = how->fill(stream, &in, how->context);
    return status ? status : how->empty(stream, &out, how->context);
}

sct_status sct_cuda_in_two_steps(sct_stream *stream, const sct_strided_work *work,
                                 const sct_cuda_two_steps *how) {
    int64_t most = SCT_CUDA_BUFFER_BYTES / (int64_t)how->from_bytes;
    int64_t count = sct_min(work->count, most), lines = most / count;
    sct_status status = SCT_OK;
    for (int64_t line = 0; line < work->lines && !status; line += lines)
        for (int64_t at = 0; at < work->count && !status; at += count) {
            sct_strided_work piece =
                sct_cuda_part_of(work, how->from_bytes, how->to_bytes, line, at, lines, count);
            status = take_steps(stream, &piece, how);
        }
    return status;
}
