/* device_host.c - the host device keeps the rules; products are cut where an int ends. */
#include "base/strided.h"
#include "device/blas.h"
#include "device/host.h"
#include "rules/device_rules.h"
#include "support/element.h"

#include <limits.h>

/* A product in pieces of at most 3 is the whole product. */
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
    CHECK(sct_blas_gemm(SCT_CF64, &w, SCT_BLAS_LONGEST) == SCT_OK);
    w.c = pieces;
    CHECK(sct_blas_gemm(SCT_CF64, &w, 3) == SCT_OK);
    CHECK_CASE(elements_equal(SCT_CF64, whole, pieces, SIZE), "pieces, order %d, ops %d %d", order,
               op_a, op_b);
}

static void test_too_large(sct_device *device) {
    double x = 1;
    sct_stream *stream;
    sct_command command = {.work = SCT_DO_GEMM,
                           .type = SCT_F64,
                           .gemm = {.m = 1,
                                    .n = 1,
                                    .k = 1,
                                    .alpha.f64 = {1, 0},
                                    .a = &x,
                                    .b = &x,
                                    .c = &x,
                                    .lda = (int64_t)INT_MAX + 1,
                                    .ldb = 1,
                                    .ldc = 1}};
    CHECK(device->ops->stream_open(device, &stream) == SCT_OK);
    CHECK(device->ops->submit(stream, &command) == SCT_TOO_LARGE);
    device->ops->stream_close(stream);
}

int main(void) {
    uint64_t random = check_seed(1);
    sct_device *device;
    if (CHECK(sct_device_host(&device) == SCT_OK)) {
        device_rules(device, random, 3);
        test_too_large(device);
        device->ops->close(device);
    }
    for (int i = 0; i < 2 * 3 * 3; i++)
        test_pieces((sct_order)(i % 2), (sct_op)(i / 2 % 3), (sct_op)(i / 6), &random);
    return check_report("device_host");
}
