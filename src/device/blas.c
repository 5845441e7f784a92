/* blas.c - products by CBLAS, cut where a dimension does not fit its int. */
#include "device/blas.h"

#include "base/checked.h"

#include <assert.h>
#include <cblas.h>
#include <limits.h>

static CBLAS_TRANSPOSE transpose_of(sct_op op) {
    static const CBLAS_TRANSPOSE names[] = {
        [SCT_N] = CblasNoTrans, [SCT_T] = CblasTrans, [SCT_C] = CblasConjTrans};
    return names[op];
}

static void call(sct_type type, const sct_gemm_work *w) {
    CBLAS_ORDER order = w->order == SCT_ROW_MAJOR ? CblasRowMajor : CblasColMajor;
    CBLAS_TRANSPOSE op_a = transpose_of(w->op_a), op_b = transpose_of(w->op_b);
    int m = (int)w->m, n = (int)w->n, k = (int)w->k;
    int lda = (int)w->lda, ldb = (int)w->ldb, ldc = (int)w->ldc;
    switch (type) {
    case SCT_F32:
        cblas_sgemm(order, op_a, op_b, m, n, k, w->alpha.f32[0], w->a, lda, w->b, ldb,
                    w->beta.f32[0], w->c, ldc);
        break;
    case SCT_F64:
        cblas_dgemm(order, op_a, op_b, m, n, k, w->alpha.f64[0], w->a, lda, w->b, ldb,
                    w->beta.f64[0], w->c, ldc);
        break;
    case SCT_CF32:
        cblas_cgemm(order, op_a, op_b, m, n, k, w->alpha.f32, w->a, lda, w->b, ldb, w->beta.f32,
                    w->c, ldc);
        break;
    case SCT_CF64:
        cblas_zgemm(order, op_a, op_b, m, n, k, w->alpha.f64, w->a, lda, w->b, ldb, w->beta.f64,
                    w->c, ldc);
        break;
    default:
        assert(!"f16 and bf16 are widened before");
    }
}

/* Where element (row, col) of op(X) is, in bytes from the start of X. */
static size_t offset(sct_type type, sct_order order, sct_op op, int64_t ld, int64_t row,
                     int64_t col) {
    bool by_rows = (order == SCT_ROW_MAJOR) == (op == SCT_N);
    return (size_t)(by_rows ? row * ld + col : col * ld + row) * sct_type_bytes(type);
}

static void call_piece(sct_type type, const sct_gemm_work *w, int64_t longest, int64_t i, int64_t j,
                       int64_t l) {
    sct_gemm_work piece = *w;
    piece.m = sct_min(longest, w->m - i);
    piece.n = sct_min(longest, w->n - j);
    piece.k = sct_min(longest, w->k - l);
    piece.a = (const char *)w->a + offset(type, w->order, w->op_a, w->lda, i, l);
    piece.b = (const char *)w->b + offset(type, w->order, w->op_b, w->ldb, l, j);
    piece.c = (char *)w->c + offset(type, w->order, SCT_N, w->ldc, i, j);
    if (l > 0)
        piece.beta = sct_scalar_real(type, 1);
    call(type, &piece);
}

sct_status sct_blas_gemm(sct_type type, const sct_gemm_work *work, int64_t longest) {
    assert(work->m >= 1 && work->n >= 1 && work->k >= 1);
    assert(!sct_scalar_is(type, work->alpha, 0));
    int64_t ld = sct_max(work->lda, sct_max(work->ldb, work->ldc));
    if (ld > INT_MAX)
        return sct_fail(SCT_TOO_LARGE, "leading dimension %lld: a BLAS takes at most %d",
                        (long long)ld, INT_MAX);
    for (int64_t i = 0; i < work->m; i += longest)
        for (int64_t j = 0; j < work->n; j += longest)
            for (int64_t l = 0; l < work->k; l += longest)
                call_piece(type, work, longest, i, j, l);
    return SCT_OK;
}
