/* clblast.c - products by CLBlast, which counts the elements of a buffer in int. */
#include "device/opencl/blas.h"

#include <clblast_c.h>
#include <limits.h>
#include <stdatomic.h>

static CLBlastTranspose transpose_of(sct_op op) {
    static const CLBlastTranspose names[] = {[SCT_N] = CLBlastTransposeNo,
                                             [SCT_T] = CLBlastTransposeYes,
                                             [SCT_C] = CLBlastTransposeConjugate};
    return names[op];
}

static cl_float2 float2_of(sct_scalar x) {
    return (cl_float2){.s = {x.f32[0], x.f32[1]}};
}

static cl_double2 double2_of(sct_scalar x) {
    return (cl_double2){.s = {x.f64[0], x.f64[1]}};
}

/* Whether the numbers of all elements of op(X), rows x cols, fit in an int. */
static bool fits(const sct_gemm_work *w, sct_op op, int64_t ld, int64_t rows, int64_t cols,
                 size_t first) {
    bool by_rows = (w->order == SCT_ROW_MAJOR) == (op == SCT_N);
    return first <= INT_MAX && (by_rows ? rows : cols) <= (INT_MAX - (int64_t)first) / ld;
}

static sct_status multiply(cl_command_queue queue, sct_type type, const sct_gemm_work *w,
                           const sct_cl_operands *in) {
    CLBlastLayout order = w->order == SCT_ROW_MAJOR ? CLBlastLayoutRowMajor : CLBlastLayoutColMajor;
    /* it refuses to conjugate what is real */
    bool complex = type == SCT_CF32 || type == SCT_CF64;
    CLBlastTranspose op_a = transpose_of(w->op_a == SCT_C && !complex ? SCT_T : w->op_a);
    CLBlastTranspose op_b = transpose_of(w->op_b == SCT_C && !complex ? SCT_T : w->op_b);
    size_t m = (size_t)w->m, n = (size_t)w->n, k = (size_t)w->k, bytes = sct_type_bytes(type);
    size_t lda = (size_t)w->lda, ldb = (size_t)w->ldb, ldc = (size_t)w->ldc;
    size_t a = in->a.offset / bytes, b = in->b.offset / bytes, c = in->c.offset / bytes;
    if (!fits(w, w->op_a, w->lda, w->m, w->k, a) || !fits(w, w->op_b, w->ldb, w->k, w->n, b) ||
        !fits(w, SCT_N, w->ldc, w->m, w->n, c))
        return sct_fail(SCT_FAILED, "CLBlast reaches %d elements of a buffer; a product needs more",
                        INT_MAX);
    CLBlastStatusCode code;
    if (type == SCT_F32)
        code =
            CLBlastSgemm(order, op_a, op_b, m, n, k, w->alpha.f32[0], in->a.buffer, a, lda,
                         in->b.buffer, b, ldb, w->beta.f32[0], in->c.buffer, c, ldc, &queue, NULL);
    else if (type == SCT_F64)
        code =
            CLBlastDgemm(order, op_a, op_b, m, n, k, w->alpha.f64[0], in->a.buffer, a, lda,
                         in->b.buffer, b, ldb, w->beta.f64[0], in->c.buffer, c, ldc, &queue, NULL);
    else if (type == SCT_CF32)
        code = CLBlastCgemm(order, op_a, op_b, m, n, k, float2_of(w->alpha), in->a.buffer, a, lda,
                            in->b.buffer, b, ldb, float2_of(w->beta), in->c.buffer, c, ldc, &queue,
                            NULL);
    else
        code = CLBlastZgemm(order, op_a, op_b, m, n, k, double2_of(w->alpha), in->a.buffer, a, lda,
                            in->b.buffer, b, ldb, double2_of(w->beta), in->c.buffer, c, ldc, &queue,
                            NULL);
    if (code == CLBlastSuccess)
        return SCT_OK;
    return sct_fail(SCT_FAILED, "CLBlast failed: error %d", (int)code);
}

/* The first call of a process makes the tables of CLBlast, which no other call may read meanwhile.
 */
static pthread_mutex_t *lock_of_first_call(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    return &lock;
}

static sct_status clblast_gemm(cl_command_queue queue, sct_type type, const sct_gemm_work *work,
                               const sct_cl_operands *operands) {
    static atomic_bool called;
    if (atomic_load(&called))
        return multiply(queue, type, work, operands);
    pthread_mutex_lock(lock_of_first_call());
    sct_status status = multiply(queue, type, work, operands);
    if (!status)
        atomic_store(&called, true);
    pthread_mutex_unlock(lock_of_first_call());
    return status;
}

/* CLBlast has a kernel for small products. On processors it takes that one for sizes at which the
 * other is faster, by PoCL on two cores up to 1.7 times: 1024x512x1024 of f32, 0.054 and 0.032 s.
 */
static void clblast_tune(cl_device_id device) {
    static const CLBlastPrecision precisions[] = {CLBlastPrecisionSingle, CLBlastPrecisionDouble,
                                                  CLBlastPrecisionComplexSingle,
                                                  CLBlastPrecisionComplexDouble};
    const char *parameter = "XGEMM_MIN_INDIRECT_SIZE";
    const size_t size = 128;
    cl_device_type kind = 0;
    clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof kind, &kind, NULL);
    if (!(kind & CL_DEVICE_TYPE_CPU))
        return;
    pthread_mutex_lock(lock_of_first_call());
    for (size_t i = 0; i < sizeof precisions / sizeof *precisions; i++)
        CLBlastOverrideParameters(device, "GemmRoutine", precisions[i], 1, &parameter, &size);
    pthread_mutex_unlock(lock_of_first_call());
}

const sct_cl_blas sct_cl_clblast = {.name = "CLBlast", .tune = clblast_tune, .gemm = clblast_gemm};
