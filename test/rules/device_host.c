/* device_host.c - the host device keeps the contract; products are split where a size exceeds an
 * int. */
#include "base/strided.h"
#include "device/blas.h"
#include "device/host.h"
#include "rules/device_rules.h"
#include "support/element.h"

#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>

/* A product split into pieces of at most 3 in each dimension equals the unsplit one. */
static void test_pieces(sct_order order, sct_op op_a, sct_op op_b, uint64_t *random) {
    enum { EDGE = 7, SIZE = EDGE * EDGE };
    double a[2 * SIZE], b[2 * SIZE], whole[2 * SIZE], pieces[2 * SIZE];
    elements_fill(SCT_CF64, a, SIZE, random);
    elements_fill(SCT_CF64, b, SIZE, random);
    elements_fill(SCT_CF64, whole, SIZE, random);
    sct_strided_copy(SCT_CF64, false, 1, SIZE, whole, SIZE, pieces, SIZE);
    sct_gemm_work w = {.order = order,
                       .op_a = op_a,
                       .op_b = op_b,
                       .m = 5,
                       .n = 6,
                       .k = 7,
                       .alpha.f64 = {1, 2},
                       .beta.f64 = {3, 1},
                       .a = a,
                       .b = b,
                       .c = whole,
                       .lda = EDGE,
                       .ldb = EDGE,
                       .ldc = EDGE};
    sct_blas_gemm(SCT_CF64, &w, SCT_BLAS_LONGEST);
    w.c = pieces;
    sct_blas_gemm(SCT_CF64, &w, 3);
    CHECK_CASE(elements_equal(SCT_CF64, whole, pieces, SIZE), "pieces, order %d, ops %d %d", order,
               op_a, op_b);
}

/* ---- Leading dimensions beyond an int ---- */

enum { FAR_SIZE = 3 };
static const int64_t far_ld = (int64_t)INT_MAX + 5;
static const size_t far_bytes = ((size_t)INT_MAX + 5) * FAR_SIZE * sizeof(float);

/* Address space, almost none of which is touched; NULL if the system does not provide it. */
static float *open_far(void) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *memory = mmap(NULL, far_bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void put_lines(float *to, int64_t ld, int first) {
    for (int i = 0; i < FAR_SIZE * FAR_SIZE; i++)
        to[i / FAR_SIZE * ld + i % FAR_SIZE] = (float)(first + i * i);
}

/* One operand has a leading dimension larger than INT_MAX. */
static void test_far(int which, float *memory, sct_order order, sct_op op_a, sct_op op_b) {
    float near[3][FAR_SIZE * FAR_SIZE], want[FAR_SIZE * FAR_SIZE];
    float *at[3] = {near[0], near[1], near[2]};
    int64_t ld[3] = {FAR_SIZE, FAR_SIZE, FAR_SIZE};
    for (int is_far = 0; is_far < 2; is_far++) {
        if (is_far) {
            at[which] = memory;
            ld[which] = far_ld;
        }
        for (int i = 0; i < 3; i++)
            put_lines(at[i], ld[i], i);
        sct_gemm_work w = {order, op_a,  op_b,  FAR_SIZE, FAR_SIZE, FAR_SIZE, {.f32 = {2}}, {{3}},
                           at[0], at[1], at[2], ld[0],    ld[1],    ld[2],    false};
        sct_blas_gemm(SCT_F32, &w, SCT_BLAS_LONGEST);
        for (int i = 0; i < FAR_SIZE * FAR_SIZE; i++) {
            float is = at[2][i / FAR_SIZE * ld[2] + i % FAR_SIZE];
            CHECK_CASE(!is_far || is == want[i], "operand %d far, order %d, ops %d %d", which,
                       order, op_a, op_b);
            want[i] = is;
        }
    }
}

static void test_all_far(void) {
    float *memory = open_far();
    if (!memory) {
        printf("no address space for lines that are far apart\n");
        return;
    }
    for (int i = 0; i < 3 * 2 * 2 * 2; i++)
        test_far(i / 8, memory, (sct_order)(i % 2), (sct_op)(i / 2 % 2), (sct_op)(i / 4 % 2));
    munmap(memory, far_bytes);
}

int main(void) {
    uint64_t random = check_seed(1);
    sct_device *device;
    if (CHECK(sct_device_host(&device) == SCT_OK)) {
        device_rules(device, random, 3);
        device->ops->close(device);
    }
    for (int i = 0; i < 2 * 3 * 3; i++)
        test_pieces((sct_order)(i % 2), (sct_op)(i / 2 % 3), (sct_op)(i / 6), &random);
    test_all_far();
    CHECK(sct_blas_check() == SCT_OK);
    return check_report("device_host");
}
