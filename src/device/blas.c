/* blas.c - products by CBLAS, split where a number exceeds its int: long dimensions into pieces,
 * and operands with a huge leading dimension into single lines; which BLAS it is, and whether its
 * integers are those of cblas.h. */
#include "device/blas.h"

#include <assert.h>
#include <cblas.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

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
    if (type == SCT_F32)
        cblas_sgemm(order, op_a, op_b, m, n, k, w->alpha.f32[0], w->a, lda, w->b, ldb,
                    w->beta.f32[0], w->c, ldc);
    else if (type == SCT_F64)
        cblas_dgemm(order, op_a, op_b, m, n, k, w->alpha.f64[0], w->a, lda, w->b, ldb,
                    w->beta.f64[0], w->c, ldc);
    else if (type == SCT_CF32)
        cblas_cgemm(order, op_a, op_b, m, n, k, w->alpha.f32, w->a, lda, w->b, ldb, w->beta.f32,
                    w->c, ldc);
    else
        cblas_zgemm(order, op_a, op_b, m, n, k, w->alpha.f64, w->a, lda, w->b, ldb, w->beta.f64,
                    w->c, ldc);
}

/* True if the stored lines of an operand are rows of op(X). */
static bool by_rows(sct_order order, sct_op op) {
    return (order == SCT_ROW_MAJOR) == (op == SCT_N);
}

/* Limits the dimension that counts lines of op(X), rows x cols, to one if the BLAS cannot step from
 * line to line. */
static void limit_lines(const sct_gemm_work *w, sct_op op, int64_t ld, int64_t *rows,
                        int64_t *cols) {
    if (ld > INT_MAX)
        *(by_rows(w->order, op) ? rows : cols) = 1;
}

/* The leading dimension; for a single line any valid one. */
static int64_t leading(const sct_gemm_work *w, sct_op op, int64_t ld, int64_t rows, int64_t cols) {
    return ld <= INT_MAX ? ld : by_rows(w->order, op) ? cols : rows;
}

static void call_part(sct_type type, const sct_gemm_work *w, sct_gemm_size from,
                      sct_gemm_size most) {
    sct_gemm_work part = sct_gemm_part(type, w, from, most);
    part.lda = leading(w, w->op_a, w->lda, part.m, part.k);
    part.ldb = leading(w, w->op_b, w->ldb, part.k, part.n);
    part.ldc = leading(w, SCT_N, w->ldc, part.m, part.n);
    call(type, &part);
}

void sct_blas_gemm(sct_type type, const sct_gemm_work *work, int64_t longest) {
    assert(sct_type_sum(type) == type); /* f16 and bf16 were widened before */
    assert(work->m >= 1 && work->n >= 1 && work->k >= 1);
    assert(!sct_scalar_is(type, work->alpha, 0));
    sct_gemm_size most = {longest, longest, longest}, from;
    limit_lines(work, work->op_a, work->lda, &most.m, &most.k);
    limit_lines(work, work->op_b, work->ldb, &most.k, &most.n);
    limit_lines(work, SCT_N, work->ldc, &most.m, &most.n);
    for (from.m = 0; from.m < work->m; from.m += most.m)
        for (from.n = 0; from.n < work->n; from.n += most.n)
            for (from.k = 0; from.k < work->k; from.k += most.k)
                call_part(type, work, from, most);
}
