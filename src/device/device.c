/* device.c - what all devices have in common: copies of bytes between any memory of the host and
 * of a device, a product cut into smaller ones, and the end of a group of devices. */
#include "device/device.h"

#include "device/group.h"

#include "base/checked.h"
#include "base/strided.h"

/* ---- Moves ---- */

sct_status sct_device_submit_move(sct_device *device, sct_stream *stream, int64_t lines,
                                  size_t width, const void *from, size_t from_pitch, void *to,
                                  size_t to_pitch) {
    sct_command command = {.work = SCT_DO_MOVE,
                           .strided = {.lines = lines,
                                       .count = (int64_t)width,
                                       .from = from,
                                       .from_ld = (int64_t)from_pitch,
                                       .to = to,
                                       .to_ld = (int64_t)to_pitch}};
    return device->ops->submit(stream, &command);
}

sct_status sct_device_move(sct_device *device, sct_stream *stream, int64_t lines, size_t width,
                           const void *from, size_t from_pitch, void *to, size_t to_pitch) {
    if (device->space != SCT_SPACE_DEVICE || device->ops->can_use(device, from) ||
        device->ops->can_use(device, to))
        return sct_device_submit_move(device, stream, lines, width, from, from_pitch, to, to_pitch);
    sct_strided_move(lines, width, from, from_pitch, to, to_pitch);
    return SCT_OK;
}

/* ---- Parts of products ---- */

/* The byte offset of element (row, col) of op(X). */
static size_t offset(sct_type type, sct_order order, sct_op op, int64_t ld, int64_t row,
                     int64_t col) {
    bool by_rows = (order == SCT_ROW_MAJOR) == (op == SCT_N);
    return (size_t)(by_rows ? row * ld + col : col * ld + row) * sct_type_bytes(type);
}

sct_gemm_work sct_gemm_part(sct_type type, const sct_gemm_work *gemm, sct_gemm_size from,
                            sct_gemm_size size) {
    sct_gemm_work part = *gemm;
    part.m = sct_min(size.m, gemm->m - from.m);
    part.k = sct_min(size.k, gemm->k - from.k);
    part.n = sct_min(size.n, gemm->n - from.n);
    part.a = (char *)gemm->a + offset(type, gemm->order, gemm->op_a, gemm->lda, from.m, from.k);
    part.b = (char *)gemm->b + offset(type, gemm->order, gemm->op_b, gemm->ldb, from.k, from.n);
    part.c =
        (char *)gemm->c + offset(sct_type_sum(type), gemm->order, SCT_N, gemm->ldc, from.m, from.n);
    if (from.k > 0)
        part.beta = sct_scalar_real(type, 1); /* added to the sums of the terms before */
    return part;
}

/* ---- Groups ---- */

void sct_device_group_leave(sct_device_group *group, int users) {
    if (!group->destroy)
        return;
    pthread_mutex_lock(&group->lock);
    group->users -= users;
    bool last = group->users == 0;
    pthread_mutex_unlock(&group->lock);
    if (last)
        group->destroy(group);
}
