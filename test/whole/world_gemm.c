/* world_gemm.c - sct_world_gemm on the device of a rank gives what sct_gemm_local gives on the
 * host, and refuses what the device cannot use. Accumulates in flight arrive. */
#include "engine/emulated.h"
#include "support/check.h"
#include "whole/support/elements.h"

#include <stdlib.h>
#include <string.h>

/* Some devices are given products with a long k in pieces. */
enum { M = 7, N = 5, K = 6, LONG_K = 5000, MATRICES = 3, TYPES = 6, OPS = 3 };

typedef struct product {
    sct_world *world;
    sct_type type, sum;
    sct_op op[2];
    sct_order order;
    int64_t k;
    sct_matrix *matrix[MATRICES];
    sct_block device[MATRICES], host[MATRICES];
} product;

static const sct_tile first = {0, 0};

static void open_operand(product *p, int i, int64_t rows, int64_t cols) {
    sct_type type = i == 2 ? p->sum : p->type;
    int count;
    p->matrix[i] =
        matrix_new(p->world, type, p->order == SCT_ROW_MAJOR ? "row" : "row/f", rows, cols);
    matrix_fill(p->world, p->matrix[i], (source){(uint64_t)i + 1, 4});
    CHECK(sct_matrix_blocks(p->matrix[i], 1, &p->device[i], &count) == SCT_OK && count == 1);
    p->host[i] = p->device[i];
    p->host[i].data = malloc((size_t)(rows * cols) * sct_type_bytes(type));
    CHECK(sct_matrix_get_tile(p->matrix[i], first, SCT_HERE, &p->host[i]) == SCT_OK);
}

static void open_product(product *p) {
    bool turned[2] = {p->op[0] != SCT_N, p->op[1] != SCT_N};
    open_operand(p, 0, turned[0] ? p->k : M, turned[0] ? M : p->k);
    open_operand(p, 1, turned[1] ? N : p->k, turned[1] ? p->k : N);
    open_operand(p, 2, M, N);
}

static void close_product(product *p) {
    for (int i = 0; i < MATRICES; i++) {
        sct_matrix_destroy(p->matrix[i]);
        free(p->host[i].data);
    }
}

static sct_status multiply(const product *p, sct_scalar alpha, sct_scalar beta) {
    return sct_world_gemm(p->world, p->type, p->op[0], p->op[1], &alpha, &p->device[0],
                          &p->device[1], &beta, &p->device[2]);
}

/* Multiplies on both, and compares. */
static void check_product(product *p, double alpha, double beta) {
    sct_scalar scale = element_scalar(p->sum, (element){alpha, 0});
    sct_scalar keep = element_scalar(p->sum, (element){beta, 0});
    size_t bytes = M * N * sct_type_bytes(p->sum);
    sct_block is = p->host[2];
    is.data = malloc(bytes);
    CHECK_CASE(multiply(p, scale, keep) == SCT_OK, "%s", sct_last_reason());
    CHECK(sct_gemm_local(p->type, p->op[0], p->op[1], &scale, &p->host[0], &p->host[1], &keep,
                         &p->host[2]) == SCT_OK);
    CHECK(sct_matrix_get_tile(p->matrix[2], first, SCT_HERE, &is) == SCT_OK);
    int wrong = 0;
    for (int64_t i = 0; i < M * N; i++) {
        element x = element_get(p->sum, is.data, i), y = element_get(p->sum, p->host[2].data, i);
        wrong += x.re != y.re || x.im != y.im;
    }
    CHECK_CASE(wrong == 0, "%d elements: %s, ops %d %d, order %d, alpha %g, beta %g", wrong,
               sct_type_name(p->type), (int)p->op[0], (int)p->op[1], (int)p->order, alpha, beta);
    free(is.data);
}

static int products(sct_world *world, void *arg) {
    (void)arg;
    enum { USUAL = 4 * OPS * OPS * 2 };
    for (int i = 0; i < USUAL + 4; i++) {
        product p = {.world = world,
                     .k = i < USUAL ? K : LONG_K,
                     .type = (sct_type)(i % 4),
                     .op = {(sct_op)(i / 4 % OPS), (sct_op)(i / 4 / OPS % OPS)},
                     .order = (sct_order)(i / 4 / OPS / OPS % 2)};
        p.sum = sct_type_sum(p.type);
        open_product(&p);
        check_product(&p, 2, 3);
        check_product(&p, -1, 0);
        check_product(&p, 0, 2);
        close_product(&p);
    }
    return 0;
}

/* A sum of no products, whose factors need no memory. */
static int empty_sums(sct_world *world, void *arg) {
    product p = {.world = world, .type = SCT_F64, .sum = SCT_F64, .k = K};
    (void)arg;
    open_product(&p);
    const sct_block a = p.host[0], b = p.host[1];
    p.device[0].cols = p.host[0].cols = p.device[1].rows = p.host[1].rows = 0;
    for (int i = 0; i < 2; i++)
        p.device[i].data = p.host[i].data = NULL;
    check_product(&p, 2, 3);
    p.host[0] = a;
    p.host[1] = b;
    close_product(&p);
    return 0;
}

static int refusals(sct_world *world, void *arg) {
    product p = {.world = world, .type = SCT_F64, .sum = SCT_F64, .k = K};
    const sct_scalar one = sct_scalar_real(SCT_F64, 1);
    (void)arg;
    open_product(&p);
    bool apart = sct_matrix_space(p.matrix[0]) == SCT_SPACE_DEVICE;
    sct_block inside = p.device[0];
    p.device[0].data = p.host[0].data;
    CHECK((multiply(&p, one, one) == SCT_BAD_ARGUMENT) == apart);
    p.device[0] = inside;
    p.device[1].order = SCT_COL_MAJOR;
    p.device[1].ld = K;
    CHECK(multiply(&p, one, one) == SCT_BAD_ARGUMENT);
    p.device[1].ld = K - 1;
    CHECK(multiply(&p, one, one) == SCT_BAD_ARGUMENT);
    p.device[1] = p.host[1];
    for (int type = 0; type < TYPES; type++) {
        p.type = (sct_type)type;
        if (!sct_world_multiplies(world, p.type)) {
            CHECK(multiply(&p, one, one) == SCT_BAD_ARGUMENT);
            CHECK_CASE(strstr(sct_last_reason(), "the device does not multiply elements of type"),
                       "%s", sct_last_reason());
        }
        CHECK(sct_world_multiplies(world, p.type) || type >= SCT_F16);
    }
    close_product(&p);
    return 0;
}

/* Two accumulates of the whole of C, both in flight at once. */
static int accumulates(sct_world *world, void *arg) {
    product p = {.world = world, .type = SCT_F64, .sum = SCT_F64, .k = K};
    sct_request request[2];
    (void)arg;
    open_product(&p);
    for (int i = 0; i < 2; i++)
        CHECK(sct_matrix_accumulate_tile_async(p.matrix[2], first, SCT_HERE, &p.host[2],
                                               &request[i]) == SCT_OK);
    CHECK(sct_wait(request[0]) == SCT_OK && sct_wait(request[1]) == SCT_OK);
    double before[M * N], *after = p.host[2].data;
    memcpy(before, after, sizeof before);
    CHECK(sct_matrix_get_tile(p.matrix[2], first, SCT_HERE, &p.host[2]) == SCT_OK);
    for (int i = 0; i < M * N; i++)
        CHECK(after[i] == 3 * before[i]);
    close_product(&p);
    return 0;
}

int main(void) {
    emulated_options on_host = {.host = 1, .deferred = 1}, on_device = {.delay_us = 20};
    const sct_world_options deferred = emulated_world(&on_host);
    const sct_world_options apart = emulated_world(&on_device);
    const sct_world_options *const worlds[] = {NULL, &deferred, &apart};
    sct_main *const works[] = {products, empty_sums, refusals, accumulates};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            CHECK_CASE(sct_run(1, worlds[i], works[j], NULL) == SCT_OK, "%s", sct_last_reason());
    return check_report("world_gemm");
}
