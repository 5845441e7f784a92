/* library.c - functions of the library that fail as if an argument were missing, and some, of the
 * library or its BLAS, that give a wrong result. */
#include "faults/fault.h"

#include <sectile/sectile.h>
#include <stddef.h>

static bool is_broken(const char *call, const void *caller) {
    return fault_due("library", call, caller);
}

sct_status sct_plan_cost(const sct_plan *plan, sct_cost *cost) {
    sct_status (*real)(const sct_plan *, sct_cost *) =
        (sct_status(*)(const sct_plan *, sct_cost *))fault_next("sct_plan_cost");
    return real(is_broken("sct_plan_cost", __builtin_return_address(0)) ? NULL : plan, cost);
}

sct_status sct_plan_step(const sct_plan *plan, int64_t index, sct_step *step) {
    sct_status (*real)(const sct_plan *, int64_t, sct_step *) =
        (sct_status(*)(const sct_plan *, int64_t, sct_step *))fault_next("sct_plan_step");
    return real(is_broken("sct_plan_step", __builtin_return_address(0)) ? NULL : plan, index, step);
}

sct_status sct_lower_bound_find(sct_type type, int64_t m, int64_t n, int64_t k, int ranks,
                                uint64_t memory, sct_lower_bound *bound) {
    sct_status (*real)(sct_type, int64_t, int64_t, int64_t, int, uint64_t, sct_lower_bound *) =
        (sct_status(*)(sct_type, int64_t, int64_t, int64_t, int, uint64_t,
                       sct_lower_bound *))fault_next("sct_lower_bound_find");
    bool due = is_broken("sct_lower_bound_find", __builtin_return_address(0));
    return real(type, m, n, k, ranks, memory, due ? NULL : bound);
}

sct_status sct_layout_create_cyclic(int64_t rows, int64_t cols, const sct_cyclic *cyclic,
                                    sct_layout **layout) {
    sct_status (*real)(int64_t, int64_t, const sct_cyclic *, sct_layout **) = (sct_status(*)(
        int64_t, int64_t, const sct_cyclic *, sct_layout **))fault_next("sct_layout_create_cyclic");
    bool due = is_broken("sct_layout_create_cyclic", __builtin_return_address(0));
    return real(rows, cols, cyclic, due ? NULL : layout);
}

sct_status sct_matrix_tile(const sct_matrix *matrix, sct_tile tile, int replica, sct_block *block) {
    sct_status (*real)(const sct_matrix *, sct_tile, int, sct_block *) = (sct_status(*)(
        const sct_matrix *, sct_tile, int, sct_block *))fault_next("sct_matrix_tile");
    return real(is_broken("sct_matrix_tile", __builtin_return_address(0)) ? NULL : matrix, tile,
                replica, block);
}

sct_status sct_matrix_overlapping_tiles(const sct_matrix *matrix, sct_slice slice,
                                        sct_slice *tiles) {
    sct_status (*real)(const sct_matrix *, sct_slice, sct_slice *) = (sct_status(*)(
        const sct_matrix *, sct_slice, sct_slice *))fault_next("sct_matrix_overlapping_tiles");
    return real(is_broken("sct_matrix_overlapping_tiles", __builtin_return_address(0)) ? NULL
                                                                                       : matrix,
                slice, tiles);
}

sct_status sct_matrix_view(sct_matrix *matrix, sct_slice slice, sct_view *view) {
    sct_status (*real)(sct_matrix *, sct_slice, sct_view *) =
        (sct_status(*)(sct_matrix *, sct_slice, sct_view *))fault_next("sct_matrix_view");
    return real(is_broken("sct_matrix_view", __builtin_return_address(0)) ? NULL : matrix, slice,
                view);
}

sct_status sct_matrix_reduce_replicas(sct_matrix *matrix, int origin) {
    sct_status (*real)(sct_matrix *, int) =
        (sct_status(*)(sct_matrix *, int))fault_next("sct_matrix_reduce_replicas");
    return real(is_broken("sct_matrix_reduce_replicas", __builtin_return_address(0)) ? NULL
                                                                                     : matrix,
                origin);
}

sct_status sct_gemm_local(sct_type type, sct_op op_a, sct_op op_b, const void *alpha,
                          const sct_block *a, const sct_block *b, const void *beta,
                          const sct_block *c) {
    sct_status (*real)(sct_type, sct_op, sct_op, const void *, const sct_block *, const sct_block *,
                       const void *, const sct_block *) =
        (sct_status(*)(sct_type, sct_op, sct_op, const void *, const sct_block *, const sct_block *,
                       const void *, const sct_block *))fault_next("sct_gemm_local");
    bool due = is_broken("sct_gemm_local", __builtin_return_address(0));
    return real(type, op_a, op_b, alpha, due ? NULL : a, b, beta, c);
}

/* Reports one byte more than was moved. */
sct_traffic sct_world_traffic(const sct_world *world) {
    sct_traffic (*real)(const sct_world *) =
        (sct_traffic(*)(const sct_world *))fault_next("sct_world_traffic");
    sct_traffic traffic = real(world);
    if (is_broken("sct_world_traffic", __builtin_return_address(0)))
        traffic.bytes_got++;
    return traffic;
}

/* ---- The BLAS ---- */

void cblas_dgemm(int order, int op_a, int op_b, int m, int n, int k, double alpha, const double *a,
                 int lda, const double *b, int ldb, double beta, double *c, int ldc);
int openblas_get_num_threads(void);

/* Makes the first element wrong. */
void cblas_dgemm(int order, int op_a, int op_b, int m, int n, int k, double alpha, const double *a,
                 int lda, const double *b, int ldb, double beta, double *c, int ldc) {
    void (*real)(int, int, int, int, int, int, double, const double *, int, const double *, int,
                 double, double *, int) =
        (void (*)(int, int, int, int, int, int, double, const double *, int, const double *, int,
                  double, double *, int))fault_next("cblas_dgemm");
    real(order, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    if (is_broken("cblas_dgemm", __builtin_return_address(0)))
        c[0]++;
}

/* Returns 0: unknown. */
int openblas_get_num_threads(void) {
    int (*real)(void) = (int (*)(void))fault_next("openblas_get_num_threads");
    bool due = is_broken("openblas_get_num_threads", __builtin_return_address(0));
    return due || !real ? 0 : real();
}
