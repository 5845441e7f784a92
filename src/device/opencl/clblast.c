/* clblast.c - products by CLBlast, which counts the elements of a buffer in int. */
#include "device/opencl/stream.h"

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

/* The arguments of a call, as CLBlast takes them. */
typedef struct call {
    CLBlastLayout order;
    CLBlastTranspose op_a, op_b;
    size_t m, n, k;
    size_t a, lda, b, ldb, c, ldc; /* where matrices begin, and the distances of their lines */
} call;

/* CLBlast refuses to conjugate what is real. */
static call call_of(sct_type type, const sct_gemm_work *w, const sct_cl_operands *in) {
    bool complex = type == SCT_CF32 || type == SCT_CF64;
    size_t bytes = sct_type_bytes(type);
    return (call){.order =
                      w->order == SCT_ROW_MAJOR ? CLBlastLayoutRowMajor : CLBlastLayoutColMajor,
                  .op_a = transpose_of(w->op_a == SCT_C && !complex ? SCT_T : w->op_a),
                  .op_b = transpose_of(w->op_b == SCT_C && !complex ? SCT_T : w->op_b),
                  .m = (size_t)w->m,
                  .n = (size_t)w->n,
                  .k = (size_t)w->k,
                  .a = in->a.offset / bytes,
                  .lda = (size_t)w->lda,
                  .b = in->b.offset / bytes,
                  .ldb = (size_t)w->ldb,
                  .c = in->c.offset / bytes,
                  .ldc = (size_t)w->ldc};
}

/* What a call needs for copies of its operands. CLBlast would make a buffer for each call, and as
 * many are outstanding at once as the host submits. */
static CLBlastStatusCode find_bytes(cl_command_queue queue, sct_type type, const call *x,
                                    size_t *bytes) {
    typedef CLBlastStatusCode find(CLBlastLayout, CLBlastTranspose, CLBlastTranspose, size_t,
                                   size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t,
                                   cl_command_queue *, size_t *);
    static find *const finds[] = {[SCT_F32] = CLBlastSGemmTempBufferSize,
                                  [SCT_F64] = CLBlastDGemmTempBufferSize,
                                  [SCT_CF32] = CLBlastCGemmTempBufferSize,
                                  [SCT_CF64] = CLBlastZGemmTempBufferSize};
    return finds[type](x->order, x->op_a, x->op_b, x->m, x->n, x->k, x->a, x->lda, x->b, x->ldb,
                       x->c, x->ldc, &queue, bytes);
}

static CLBlastStatusCode submit(cl_command_queue queue, sct_type type, const sct_gemm_work *w,
                                const sct_cl_operands *in, const call *x, cl_mem room) {
    cl_mem a = in->a.buffer, b = in->b.buffer, c = in->c.buffer;
    switch (type) {
    case SCT_F32:
        return CLBlastSgemmWithTempBuffer(x->order, x->op_a, x->op_b, x->m, x->n, x->k,
                                          w->alpha.f32[0], a, x->a, x->lda, b, x->b, x->ldb,
                                          w->beta.f32[0], c, x->c, x->ldc, &queue, NULL, room);
    case SCT_F64:
        return CLBlastDgemmWithTempBuffer(x->order, x->op_a, x->op_b, x->m, x->n, x->k,
                                          w->alpha.f64[0], a, x->a, x->lda, b, x->b, x->ldb,
                                          w->beta.f64[0], c, x->c, x->ldc, &queue, NULL, room);
    case SCT_CF32:
        return CLBlastCgemmWithTempBuffer(x->order, x->op_a, x->op_b, x->m, x->n, x->k,
                                          float2_of(w->alpha), a, x->a, x->lda, b, x->b, x->ldb,
                                          float2_of(w->beta), c, x->c, x->ldc, &queue, NULL, room);
    default:
        return CLBlastZgemmWithTempBuffer(x->order, x->op_a, x->op_b, x->m, x->n, x->k,
                                          double2_of(w->alpha), a, x->a, x->lda, b, x->b, x->ldb,
                                          double2_of(w->beta), c, x->c, x->ldc, &queue, NULL, room);
    }
}

static sct_status multiply(cl_command_queue queue, sct_type type, const sct_gemm_work *w,
                           const sct_cl_operands *in, sct_cl_room *room) {
    call x = call_of(type, w, in);
    if (!fits(w, w->op_a, w->lda, w->m, w->k, x.a) || !fits(w, w->op_b, w->ldb, w->k, w->n, x.b) ||
        !fits(w, SCT_N, w->ldc, w->m, w->n, x.c))
        return sct_fail(SCT_FAILED, "CLBlast reaches %d elements of a buffer; a product needs more",
                        INT_MAX);
    size_t bytes = 0;
    CLBlastStatusCode code = find_bytes(queue, type, &x, &bytes);
    sct_status status = code == CLBlastSuccess ? sct_cl_room_grow(room, bytes) : SCT_OK;
    if (!status && code == CLBlastSuccess)
        code = submit(queue, type, w, in, &x, bytes > 0 ? room->buffer : NULL);
    if (status || code == CLBlastSuccess)
        return status;
    return sct_fail(SCT_FAILED, "CLBlast failed: error %d", (int)code);
}

/* The first call of a process makes the tables of CLBlast, which no other call may read meanwhile.
 */
static pthread_mutex_t *lock_of_first_call(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    return &lock;
}

static sct_status clblast_gemm(cl_command_queue queue, sct_type type, const sct_gemm_work *work,
                               const sct_cl_operands *operands, sct_cl_room *room) {
    static atomic_bool called;
    if (atomic_load(&called))
        return multiply(queue, type, work, operands, room);
    pthread_mutex_lock(lock_of_first_call());
    sct_status status = multiply(queue, type, work, operands, room);
    if (!status)
        atomic_store(&called, true);
    pthread_mutex_unlock(lock_of_first_call());
    return status;
}

/* CLBlast has a kernel for small products, and another for large ones. On CPUs it uses the first
 * for products for which the second is faster, up to 1.7 times: with PoCL on two cores,
 * 1024x512x1024 in f32 takes 0.054 s with the first, and 0.032 s with the second. So the second is
 * used from a size of 128 on. It is slow if k is long: 256x256x8192 in f64 takes 0.056 s in one
 * call, and 0.040 s in four. */
static int64_t clblast_tune(cl_device_id device) {
    enum { MOST_K = 2048 };
    static const CLBlastPrecision precisions[] = {CLBlastPrecisionSingle, CLBlastPrecisionDouble,
                                                  CLBlastPrecisionComplexSingle,
                                                  CLBlastPrecisionComplexDouble};
    const char *parameter = "XGEMM_MIN_INDIRECT_SIZE";
    const size_t size = 128;
    cl_device_type kind = 0;
    clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof kind, &kind, NULL);
    if (!(kind & CL_DEVICE_TYPE_CPU))
        return INT64_MAX;
    pthread_mutex_lock(lock_of_first_call());
    for (size_t i = 0; i < sizeof precisions / sizeof *precisions; i++)
        CLBlastOverrideParameters(device, "GemmRoutine", precisions[i], 1, &parameter, &size);
    pthread_mutex_unlock(lock_of_first_call());
    return MOST_K;
}

const sct_cl_blas sct_cl_clblast = {.name = "CLBlast", .tune = clblast_tune, .gemm = clblast_gemm};
