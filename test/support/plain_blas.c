/* plain_blas.c - the CBLAS gemm functions as plain loops, so that a race detector sees which memory
 * they access.
 *
 * Every case is reduced to row-major. A and B are first read into dense arrays of doubles; C is
 * read (unless beta is 0) and written element by element. Only the loops in between, on private
 * memory, are hidden from the race detector, which would slow them down for nothing. */
#include "support/element.h"

#include <cblas.h>
#include <stdlib.h>

/* A dense rows x cols matrix, split into real and imaginary parts. */
typedef struct dense {
    int64_t rows, cols;
    double *re, *im;
} dense;

static dense dense_new(int64_t rows, int64_t cols) {
    size_t count = (size_t)(rows * cols) + 1;
    dense made = {rows, cols, calloc(count, sizeof(double)), calloc(count, sizeof(double))};
    if (!made.re || !made.im)
        abort();
    return made;
}

static void dense_free(dense x) {
    free(x.re);
    free(x.im);
}

static dense read_operand(sct_type type, CBLAS_TRANSPOSE op, int64_t rows, int64_t cols,
                          const void *x, int64_t ld) {
    dense made = dense_new(rows, cols);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < cols; j++) {
            element e = element_get(type, x, op == CblasNoTrans ? i * ld + j : j * ld + i);
            made.re[i * cols + j] = e.re;
            made.im[i * cols + j] = op == CblasConjTrans ? -e.im : e.im;
        }
    }
    return made;
}

/* c += f b on one row; the imaginary parts only if `both`. */
__attribute__((no_sanitize("thread"))) static void add_row(bool both, int64_t n, double f_re,
                                                           double f_im, const double *b_re,
                                                           const double *b_im, double *c_re,
                                                           double *c_im) {
    for (int64_t j = 0; j < n; j++)
        c_re[j] += f_re * b_re[j];
    for (int64_t j = 0; both && j < n; j++) {
        c_re[j] -= f_im * b_im[j];
        c_im[j] += f_re * b_im[j] + f_im * b_re[j];
    }
}

static dense product(bool both, dense a, dense b) {
    dense c = dense_new(a.rows, b.cols);
    int64_t n = b.cols;
    for (int64_t i = 0; i < a.rows; i++)
        for (int64_t l = 0; l < b.rows; l++)
            add_row(both, n, a.re[i * a.cols + l], a.im[i * a.cols + l], b.re + l * n, b.im + l * n,
                    c.re + i * n, c.im + i * n);
    return c;
}

/* c = alpha x + beta c */
static void write_result(sct_type type, element alpha, dense x, element beta, void *c, int64_t ld) {
    bool reads = beta.re != 0 || beta.im != 0;
    for (int64_t i = 0; i < x.rows; i++) {
        for (int64_t j = 0; j < x.cols; j++) {
            element sum =
                element_times(alpha, (element){x.re[i * x.cols + j], x.im[i * x.cols + j]});
            if (reads)
                sum = element_plus(sum, element_times(beta, element_get(type, c, i * ld + j)));
            element_put(type, c, i * ld + j, sum);
        }
    }
}

static void gemm(sct_type type, CBLAS_ORDER order, CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b,
                 int64_t m, int64_t n, int64_t k, element alpha, const void *a, int64_t lda,
                 const void *b, int64_t ldb, element beta, void *c, int64_t ldc) {
    if (order == CblasColMajor) { /* as the transposed product in row-major */
        gemm(type, CblasRowMajor, op_b, op_a, n, m, k, alpha, b, ldb, a, lda, beta, c, ldc);
        return;
    }
    dense left = read_operand(type, op_a, m, k, a, lda);
    dense right = read_operand(type, op_b, k, n, b, ldb);
    dense result = product(sct_type_complex(type), left, right);
    write_result(type, alpha, result, beta, c, ldc);
    dense_free(left);
    dense_free(right);
    dense_free(result);
}

void cblas_sgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b, int m, int n, int k,
                 float alpha, const float *a, int lda, const float *b, int ldb, float beta,
                 float *c, int ldc) {
    gemm(SCT_F32, order, op_a, op_b, m, n, k, (element){alpha, 0}, a, lda, b, ldb,
         (element){beta, 0}, c, ldc);
}

void cblas_dgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b, int m, int n, int k,
                 double alpha, const double *a, int lda, const double *b, int ldb, double beta,
                 double *c, int ldc) {
    gemm(SCT_F64, order, op_a, op_b, m, n, k, (element){alpha, 0}, a, lda, b, ldb,
         (element){beta, 0}, c, ldc);
}

void cblas_cgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b, int m, int n, int k,
                 const void *alpha, const void *a, int lda, const void *b, int ldb,
                 const void *beta, void *c, int ldc) {
    gemm(SCT_CF32, order, op_a, op_b, m, n, k, element_get(SCT_CF32, alpha, 0), a, lda, b, ldb,
         element_get(SCT_CF32, beta, 0), c, ldc);
}

void cblas_zgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b, int m, int n, int k,
                 const void *alpha, const void *a, int lda, const void *b, int ldb,
                 const void *beta, void *c, int ldc) {
    gemm(SCT_CF64, order, op_a, op_b, m, n, k, element_get(SCT_CF64, alpha, 0), a, lda, b, ldb,
         element_get(SCT_CF64, beta, 0), c, ldc);
}
