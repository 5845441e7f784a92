/* cublas.c - the functions of cuBLAS, on the BLAS of the host. */
#include "cuda/state.h"

#include "base/strided.h"
#include "device/host.h"
#include "support/check.h"

#include <cublas_v2.h>
#include <stdlib.h>
#include <string.h>

struct cublasContext {
    int device;
    cudaStream_t stream;
    void *workspace;
    cublasMath_t math;
};

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
    if (call_fails(CALL_BLAS_CREATE))
        return CUBLAS_STATUS_ALLOC_FAILED;
    *handle = calloc(1, sizeof **handle);
    (*handle)->device = *current_device();
    things_add(1);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    free(handle);
    things_add(-1);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    handle->workspace = NULL; /* as cuBLAS does */
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes) {
    if (call_fails(CALL_BLAS_WORKSPACE))
        return CUBLAS_STATUS_INVALID_VALUE;
    CHECK(bytes >= 1 << 22 && (uintptr_t)workspace % 256 == 0);
    handle->workspace = workspace;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t math) {
    if (call_fails(CALL_BLAS_MATH))
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->math = math;
    return CUBLAS_STATUS_SUCCESS;
}

const char *cublasGetStatusString(cublasStatus_t status) {
    return status == CUBLAS_STATUS_SUCCESS ? "success" : "an emulated failure";
}

/* A factor of f16 or bf16 in f32, without gaps. */
static float *widened(sct_type type, int64_t lines, int64_t count, const void *from, int64_t ld) {
    float *floats = malloc((size_t)(lines * count) * sizeof *floats);
    sct_strided_convert(type, SCT_F32, lines, count, from, ld, floats, count);
    return floats;
}

/* With factors of f16 or bf16. */
static void multiply_halves(sct_command *command) {
    sct_gemm_work *w = &command->gemm;
    sct_type type = command->type;
    bool a_by_k = w->op_a == SCT_N, b_by_n = w->op_b == SCT_N;
    int64_t a_lines = a_by_k ? w->k : w->m, a_count = a_by_k ? w->m : w->k;
    int64_t b_lines = b_by_n ? w->n : w->k, b_count = b_by_n ? w->k : w->n;
    float *a = widened(type, a_lines, a_count, w->a, w->lda);
    float *b = widened(type, b_lines, b_count, w->b, w->ldb);
    command->type = SCT_F32;
    w->a = a;
    w->b = b;
    w->lda = a_count;
    w->ldb = b_count;
    sct_host_execute(command);
    free(a);
    free(b);
}

/* With factors and a result of f16 or bf16. */
static void multiply_and_round(sct_command *command) {
    sct_gemm_work *w = &command->gemm;
    sct_type type = command->type;
    void *result = w->c;
    int64_t ld = w->ldc;
    float *sums = widened(type, w->n, w->m, result, ld);
    w->c = sums;
    w->ldc = w->m;
    multiply_halves(command);
    sct_strided_convert(SCT_F32, type, w->n, w->m, sums, w->m, result, ld);
    free(sums);
}

static void multiply(void *payload) {
    sct_command *command = payload;
    if (sct_type_sum(command->type) == command->type)
        sct_host_execute(command);
    else if (command->gemm.rounds)
        multiply_and_round(command);
    else
        multiply_halves(command);
}

static sct_op op_of(cublasOperation_t operation) {
    return operation == CUBLAS_OP_N ? SCT_N : operation == CUBLAS_OP_T ? SCT_T : SCT_C;
}

static sct_type type_of(cudaDataType type) {
    return type == CUDA_R_32F   ? SCT_F32
           : type == CUDA_R_64F ? SCT_F64
           : type == CUDA_C_32F ? SCT_CF32
           : type == CUDA_C_64F ? SCT_CF64
           : type == CUDA_R_16F ? SCT_F16
                                : SCT_BF16;
}

/* An operand that is stored in `cols` lines of `rows`, or in lines of the others if it is
 * transposed. */
static void *operand(cublasHandle_t handle, sct_type type, const void *base, sct_op op,
                     int64_t rows, int64_t cols, int64_t ld, touch_kind kind) {
    size_t bytes = sct_type_bytes(type);
    area all = {.base = base,
                .lines = op == SCT_N ? cols : rows,
                .width = (size_t)(op == SCT_N ? rows : cols) * bytes,
                .pitch = ld * (int64_t)bytes,
                .kind = kind,
                .stream = handle->stream->number,
                .device = handle->device,
                .seen = &handle->stream->seen};
    CHECK(memory_device(base) >= 0 && ld >= (int64_t)(all.width / bytes));
    return memory_touch(&all);
}

static void touch_workspace(cublasHandle_t handle) {
    enum { SOME = 64 };
    CHECK(handle->workspace != NULL);
    area some = {.base = handle->workspace,
                 .lines = 1,
                 .width = SOME,
                 .kind = TOUCH_WRITE,
                 .stream = handle->stream->number,
                 .device = handle->device,
                 .seen = &handle->stream->seen};
    memory_touch(&some);
}

cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t op_a,
                               cublasOperation_t op_b, int64_t m, int64_t n, int64_t k,
                               const void *alpha, const void *a, cudaDataType a_type, int64_t lda,
                               const void *b, cudaDataType b_type, int64_t ldb, const void *beta,
                               void *c, cudaDataType c_type, int64_t ldc,
                               cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
    if (call_fails(CALL_GEMM))
        return CUBLAS_STATUS_EXECUTION_FAILED;
    if (compute == CUBLAS_COMPUTE_32F_FAST_TF32)
        call_fails(CALL_GEMM_TF32);
    sct_type type = type_of(a_type), result = type_of(c_type), sum = sct_type_sum(type);
    CHECK(a_type == b_type && (result == sum || result == type) &&
          algorithm == CUBLAS_GEMM_DEFAULT);
    /* Otherwise parts of a sum may be added up in the type of the result. */
    CHECK(result == sum || handle->math == CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
    CHECK(((uintptr_t)alpha | (uintptr_t)beta) % sct_type_bytes(sum) == 0);
    CHECK(compute != CUBLAS_COMPUTE_32F_FAST_TF32 || a_type == c_type);
    CHECK((compute == CUBLAS_COMPUTE_64F) == (type == SCT_F64 || type == SCT_CF64));
    CHECK(handle->device == *current_device() && handle->device == handle->stream->device);
    sct_command command = {.work = SCT_DO_GEMM,
                           .type = type,
                           .gemm = {.order = SCT_COL_MAJOR,
                                    .op_a = op_of(op_a),
                                    .op_b = op_of(op_b),
                                    .m = m,
                                    .n = n,
                                    .k = k,
                                    .lda = lda,
                                    .ldb = ldb,
                                    .ldc = ldc,
                                    .rounds = result != sum}};
    sct_gemm_work *w = &command.gemm;
    memcpy(&w->alpha, alpha, sct_type_bytes(sum));
    memcpy(&w->beta, beta, sct_type_bytes(sum));
    order_lock();
    order_next(handle->stream->number, &handle->stream->seen);
    if (!machine()->idle) {
        touch_workspace(handle);
        w->a = operand(handle, type, a, w->op_a, m, k, lda, TOUCH_READ);
        w->b = operand(handle, type, b, w->op_b, k, n, ldb, TOUCH_READ);
        w->c = operand(handle, result, c, SCT_N, m, n, ldc, TOUCH_WRITE);
    }
    order_unlock();
    stream_push(handle->stream, multiply, &command, sizeof command);
    return CUBLAS_STATUS_SUCCESS;
}
