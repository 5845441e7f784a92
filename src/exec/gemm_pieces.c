/* gemm_pieces.c - splits a product: first along k, which costs least, then across the lines of C,
 * then along them. */
#include "exec/gemm_pieces.h"

#include "base/checked.h"

enum { LEAST_K = 256, LEAST_LINES = 256, LEAST_LENGTH = 512 };

double sct_gemm_pieces_limit(sct_type type) {
    double speed = sct_type_part(type) == SCT_F32 ? 2 : 1; /* relative to f64 */
    return 2e8 * speed / (sct_type_complex(type) ? 4 : 1);
}

static bool halve(int64_t *size, int64_t least) {
    if (*size <= least)
        return false;
    *size = sct_max(least, (*size + 1) / 2);
    return true;
}

sct_gemm_pieces sct_gemm_pieces_choose(const sct_gemm_work *gemm, double most) {
    sct_gemm_pieces size = {gemm->m, gemm->k, gemm->n};
    bool by_rows = gemm->order == SCT_ROW_MAJOR;
    int64_t *lines = by_rows ? &size.m : &size.n, *length = by_rows ? &size.n : &size.m;
    while ((double)size.m * (double)size.k * (double)size.n > most &&
           (halve(&size.k, LEAST_K) || halve(lines, LEAST_LINES) || halve(length, LEAST_LENGTH)))
        continue;
    return size;
}

/* The address of element (row, col) of an operand. */
static void *at(sct_type type, const sct_gemm_work *gemm, const void *base, int64_t ld, sct_op op,
                int64_t row, int64_t col) {
    bool by_rows = (gemm->order == SCT_ROW_MAJOR) == (op == SCT_N);
    int64_t index = by_rows ? row * ld + col : col * ld + row;
    return (char *)base + (size_t)index * sct_type_bytes(type);
}

static sct_command portion_at(const sct_command *product, sct_gemm_pieces size,
                              sct_gemm_pieces from) {
    const sct_gemm_work *whole = &product->gemm;
    sct_command command = *product;
    sct_gemm_work *part = &command.gemm;
    part->m = sct_min(size.m, whole->m - from.m);
    part->k = sct_min(size.k, whole->k - from.k);
    part->n = sct_min(size.n, whole->n - from.n);
    part->a = at(product->type, whole, whole->a, whole->lda, whole->op_a, from.m, from.k);
    part->b = at(product->type, whole, whole->b, whole->ldb, whole->op_b, from.k, from.n);
    part->c = at(product->type, whole, whole->c, whole->ldc, SCT_N, from.m, from.n);
    if (from.k > 0)
        part->beta = sct_scalar_real(product->type, 1);
    return command;
}

sct_status sct_gemm_pieces_submit(const sct_device *device, sct_stream *stream,
                                  const sct_command *product, sct_gemm_pieces size,
                                  const sct_progress_hook *hook) {
    const sct_gemm_work *gemm = &product->gemm;
    sct_gemm_pieces from;
    sct_status status = SCT_OK;
    for (from.m = 0; from.m < gemm->m; from.m += size.m)
        for (from.n = 0; from.n < gemm->n; from.n += size.n)
            for (from.k = 0; from.k < gemm->k && !status; from.k += size.k) {
                sct_command command = portion_at(product, size, from);
                status = device->ops->submit(stream, &command);
                hook->call(hook->context);
            }
    return status;
}
