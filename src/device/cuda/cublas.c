/* cublas.c - products by cuBLAS, in either storage order. */
#include "device/cuda/stream.h"

/* How cuBLAS names a type of elements, and the way in which it sums them. */
typedef struct type_names {
    cudaDataType element;
    cublasComputeType_t sum;
} type_names;

static type_names names_of(const sct_stream *stream, sct_type type) {
    static const type_names names[] = {[SCT_F32] = {CUDA_R_32F, CUBLAS_COMPUTE_32F},
                                       [SCT_F64] = {CUDA_R_64F, CUBLAS_COMPUTE_64F},
                                       [SCT_CF32] = {CUDA_C_32F, CUBLAS_COMPUTE_32F},
                                       [SCT_CF64] = {CUDA_C_64F, CUBLAS_COMPUTE_64F},
                                       [SCT_F16] = {CUDA_R_16F, CUBLAS_COMPUTE_32F},
                                       [SCT_BF16] = {CUDA_R_16BF, CUBLAS_COMPUTE_32F}};
    type_names found = names[type];
    if (stream->device->tf32 && sct_type_part(type) == SCT_F32)
        found.sum = CUBLAS_COMPUTE_32F_FAST_TF32;
    return found;
}

static cublasOperation_t operation_of(sct_op op) {
    static const cublasOperation_t names[] = {
        [SCT_N] = CUBLAS_OP_N, [SCT_T] = CUBLAS_OP_T, [SCT_C] = CUBLAS_OP_C};
    return names[op];
}

static sct_status check(cublasStatus_t code, const char *what) {
    if (code == CUBLAS_STATUS_SUCCESS)
        return SCT_OK;
    return sct_fail(code == CUBLAS_STATUS_ALLOC_FAILED ? SCT_NO_MEMORY : SCT_FAILED,
                    "CUDA: could not %s: %s", what, cublasGetStatusString(code));
}

/* ---- The handle of a stream ---- */

void sct_cuda_gemm_clear(sct_stream *stream) {
    if (stream->blas)
        cublasDestroy(stream->blas);
    if (stream->blas_workspace)
        sct_cuda_slabs_release(&stream->device->slabs, stream->blas_workspace);
    stream->blas = NULL;
    stream->blas_workspace = NULL;
}

/* The size that cuBLAS recommends. */
static size_t workspace_bytes(const sct_stream *stream) {
    enum { MIB = 1 << 20, HOPPER = 9 };
    return (size_t)(stream->device->gpu->major < HOPPER ? 4 : 32) * MIB;
}

static sct_status open_blas(sct_stream *stream) {
    size_t bytes = workspace_bytes(stream);
    stream->blas_workspace = sct_cuda_slabs_alloc(&stream->device->slabs, bytes);
    if (!stream->blas_workspace)
        return sct_no_memory("the workspace of cuBLAS");
    sct_status status = check(cublasCreate(&stream->blas), "open cuBLAS");
    if (status)
        stream->blas = NULL;
    else
        status = check(cublasSetStream(stream->blas, stream->stream), "give cuBLAS a stream");
    if (!status)
        status = check(cublasSetWorkspace(stream->blas, stream->blas_workspace, bytes),
                       "give cuBLAS a workspace");
    /* By default it may add up parts of a sum in the type of the result. */
    if (!status)
        status =
            check(cublasSetMathMode(stream->blas, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION),
                  "have cuBLAS add in the type of sums");
    if (status)
        sct_cuda_gemm_clear(stream);
    return status;
}

/* ---- Products ---- */

/* The product with both orders of storage exchanged: C^T = op(B)^T op(A)^T. */
static sct_gemm_work by_columns(const sct_gemm_work *w) {
    sct_gemm_work swapped = *w;
    if (w->order == SCT_COL_MAJOR)
        return swapped;
    swapped.op_a = w->op_b;
    swapped.op_b = w->op_a;
    swapped.m = w->n;
    swapped.n = w->m;
    swapped.a = w->b;
    swapped.b = w->a;
    swapped.lda = w->ldb;
    swapped.ldb = w->lda;
    return swapped;
}

sct_status sct_cuda_gemm(sct_stream *stream, sct_type type, const sct_gemm_work *work) {
    sct_gemm_work w = by_columns(work);
    sct_status status = stream->blas ? SCT_OK : open_blas(stream);
    if (status)
        return status;
    type_names names = names_of(stream, type);
    cudaDataType result = names_of(stream, w.rounds ? type : sct_type_sum(type)).element;
    /* cuBLAS takes them for aligned to their size. */
    _Alignas(2 * sizeof(double)) const sct_scalar alpha = w.alpha, beta = w.beta;
    return check(cublasGemmEx_64(stream->blas, operation_of(w.op_a), operation_of(w.op_b), w.m, w.n,
                                 w.k, &alpha, w.a, names.element, w.lda, w.b, names.element, w.ldb,
                                 &beta, w.c, result, w.ldc, names.sum, CUBLAS_GEMM_DEFAULT),
                 "multiply");
}
