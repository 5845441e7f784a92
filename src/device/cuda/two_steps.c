/* two_steps.c - see two_steps.h. */
#include "device/cuda/two_steps.h"

sct_status sct_cuda_buffer(sct_stream *stream, char **buffer) {
    if (!stream->buffer)
        stream->buffer = sct_cuda_slabs_alloc(&stream->device->slabs, SCT_CUDA_BUFFER_BYTES);
    *buffer = stream->buffer;
    return stream->buffer ? SCT_OK : sct_no_memory("a buffer of a stream");
}

sct_strided_work sct_cuda_part_of(const sct_strided_work *work, size_t from_bytes, size_t to_bytes,
                                  const sct_rectangle *piece) {
    sct_strided_work part = *work;
    int64_t at = (int64_t)(piece->byte / from_bytes);
    part.lines = piece->lines;
    part.count = (int64_t)(piece->width / from_bytes);
    part.from = (const char *)work->from + (piece->line * work->from_ld + at) * (int64_t)from_bytes;
    part.to = (char *)work->to + (piece->line * work->to_ld + at) * (int64_t)to_bytes;
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
    sct_split cut = sct_split_make(work->lines, (size_t)work->count * how->from_bytes,
                                   SCT_CUDA_BUFFER_BYTES, how->from_bytes);
    sct_status status = SCT_OK;
    for (int64_t i = 0; i < cut.pieces && !status; i++) {
        sct_rectangle piece = sct_split_piece(&cut, i);
        sct_strided_work part = sct_cuda_part_of(work, how->from_bytes, how->to_bytes, &piece);
        status = take_steps(stream, &part, how);
    }
    return status;
}
