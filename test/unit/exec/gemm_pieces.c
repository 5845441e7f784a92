/* gemm_pieces.c - products computed in pieces give the same result as in one call. */
#include "exec/gemm_pieces.h"

#include "device/host.h"
#include "support/element.h"

#include <stdlib.h>
#include <string.h>

enum { CASES = 2000, TYPES = 4, MOST = 9, ROOM = 200 };

/* Small integers, so that sums are exact in any order. */
static void *random_elements(sct_type type, uint64_t *random) {
    void *made = malloc(ROOM * sct_type_bytes(type));
    elements_fill(type, made, ROOM, random);
    return made;
}

static int64_t leading(sct_order order, sct_op op, int64_t rows, int64_t cols, uint64_t *random) {
    bool by_rows = (order == SCT_ROW_MAJOR) == (op == SCT_N);
    return (by_rows ? cols : rows) + check_between(random, 0, 3);
}

/* A fabric that counts the calls of its function for progress. */
typedef struct served_fabric {
    sct_fabric fabric;
    int64_t calls;
} served_fabric;

static void count(sct_fabric *fabric) {
    ((served_fabric *)fabric)->calls++;
}

static int64_t pieces(int64_t size, int64_t each) {
    return (size + each - 1) / each;
}

static void compare(const sct_device *device, uint64_t *random) {
    sct_type type = (sct_type)check_between(random, 0, TYPES - 1);
    sct_gemm_work gemm = {.order = (sct_order)check_between(random, 0, 1),
                          .op_a = (sct_op)check_between(random, 0, 2),
                          .op_b = (sct_op)check_between(random, 0, 2),
                          .m = check_between(random, 1, MOST),
                          .n = check_between(random, 1, MOST),
                          .k = check_between(random, 1, MOST),
                          .alpha = sct_scalar_real(type, 2),
                          .beta = sct_scalar_real(type, (double)check_between(random, 0, 2))};
    gemm.lda = leading(gemm.order, gemm.op_a, gemm.m, gemm.k, random);
    gemm.ldb = leading(gemm.order, gemm.op_b, gemm.k, gemm.n, random);
    gemm.ldc = leading(gemm.order, SCT_N, gemm.m, gemm.n, random);
    void *a = random_elements(type, random), *b = random_elements(type, random);
    void *c = random_elements(type, random), *expected = malloc(ROOM * sct_type_bytes(type));
    memcpy(expected, c, ROOM * sct_type_bytes(type));
    gemm.a = a;
    gemm.b = b;
    gemm.c = expected;
    sct_command command = {.work = SCT_DO_GEMM, .type = type, .gemm = gemm};
    CHECK(sct_host_execute(&command) == SCT_OK);
    command.gemm.c = c;
    sct_gemm_size size = {check_between(random, 1, MOST), check_between(random, 1, MOST),
                          check_between(random, 1, MOST)};
    static const sct_fabric_ops ops = {.progress = count};
    served_fabric served = {.fabric = {.ops = &ops}};
    CHECK(sct_gemm_pieces_submit(device, (sct_stream *)device, &command, size, &served.fabric) ==
          SCT_OK);
    CHECK(served.calls == pieces(gemm.m, size.m) * pieces(gemm.n, size.n) * pieces(gemm.k, size.k));
    CHECK_CASE(elements_equal(type, c, expected, ROOM),
               "%s, op %d %d, %lld x %lld x %lld in %lld x %lld x %lld", sct_type_name(type),
               (int)gemm.op_a, (int)gemm.op_b, (long long)gemm.m, (long long)gemm.n,
               (long long)gemm.k, (long long)size.m, (long long)size.n, (long long)size.k);
    free(a);
    free(b);
    free(c);
    free(expected);
}

static void expect(sct_order order, sct_gemm_size whole, double most, sct_gemm_size expected) {
    sct_gemm_work gemm = {.order = order, .m = whole.m, .k = whole.k, .n = whole.n};
    sct_gemm_size size = sct_gemm_pieces_choose(&gemm, most);
    CHECK_CASE(size.m == expected.m && size.k == expected.k && size.n == expected.n,
               "%lld x %lld x %lld", (long long)size.m, (long long)size.k, (long long)size.n);
}

static void try_choosing(void) {
    const double most = sct_gemm_pieces_limit(SCT_F64);
    expect(SCT_ROW_MAJOR, (sct_gemm_size){500, 500, 500}, most, (sct_gemm_size){500, 500, 500});
    expect(SCT_ROW_MAJOR, (sct_gemm_size){1000, 2000, 300}, most, (sct_gemm_size){1000, 500, 300});
    expect(SCT_ROW_MAJOR, (sct_gemm_size){2000, 2000, 1000}, most, (sct_gemm_size){500, 256, 1000});
    expect(SCT_COL_MAJOR, (sct_gemm_size){1000, 2000, 2000}, most, (sct_gemm_size){1000, 256, 500});
    expect(SCT_ROW_MAJOR, (sct_gemm_size){4000, 4000, 4000}, most, (sct_gemm_size){256, 256, 2000});
    expect(SCT_ROW_MAJOR, (sct_gemm_size){4000, 4000, 4000}, 1, (sct_gemm_size){256, 256, 512});
    CHECK(sct_gemm_pieces_limit(SCT_F32) == 2 * most &&
          sct_gemm_pieces_limit(SCT_CF64) == most / 4);
}

int main(void) {
    uint64_t random = check_seed(1);
    sct_device *device;
    if (CHECK(sct_device_host(&device) == SCT_OK)) {
        for (int i = 0; i < CASES; i++)
            compare(device, &random);
        device->ops->close(device);
    }
    try_choosing();
    return check_report("gemm_pieces");
}
