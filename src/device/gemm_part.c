/* gemm_part.c - cuts a product into smaller ones. */
#include "base/checked.h"
#include "device/device.h"

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
