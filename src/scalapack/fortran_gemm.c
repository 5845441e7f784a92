/* fortran_gemm.c - p?gemm by its names: that of ScaLAPACK, and the same with a prefix. */
#include "scalapack/gemm.h"

#include <sectile/sectile_scalapack.h>

SCT_API sct_scalapack_gemm psgemm_, pdgemm_, pcgemm_, pzgemm_;

/* The same, whatever else has their names. */
static sct_scalapack_gemm own_psgemm __attribute__((alias("psgemm_")));
static sct_scalapack_gemm own_pdgemm __attribute__((alias("pdgemm_")));
static sct_scalapack_gemm own_pcgemm __attribute__((alias("pcgemm_")));
static sct_scalapack_gemm own_pzgemm __attribute__((alias("pzgemm_")));

static void run(const sct_routine *routine, const void *caller, const char *op_a, const char *op_b,
                const int *m, const int *n, const int *k, const void *alpha, const void *a,
                const int *ia, const int *ja, const int *desc_a, const void *b, const int *ib,
                const int *jb, const int *desc_b, const void *beta, void *c, const int *ic,
                const int *jc, const int *desc_c) {
    const sct_gemm_call call = {.op_a = op_a,
                                .op_b = op_b,
                                .m = m,
                                .n = n,
                                .k = k,
                                .alpha = alpha,
                                .beta = beta,
                                .a = {a, ia, ja, desc_a},
                                .b = {b, ib, jb, desc_b},
                                .c = {c, ic, jc, desc_c}};
    sct_gemm_run(routine, caller, &call);
}

void psgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k,
             const void *alpha, const void *a, const int *ia, const int *ja, const int *desc_a,
             const void *b, const int *ib, const int *jb, const int *desc_b, const void *beta,
             void *c, const int *ic, const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PSGEMM,
                                        .type = SCT_F32,
                                        .name = "PSGEMM",
                                        .symbol = "psgemm_",
                                        .ours = (sct_function *)own_psgemm};
    run(&routine, __builtin_return_address(0), op_a, op_b, m, n, k, alpha, a, ia, ja, desc_a, b, ib,
        jb, desc_b, beta, c, ic, jc, desc_c);
}

void pdgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k,
             const void *alpha, const void *a, const int *ia, const int *ja, const int *desc_a,
             const void *b, const int *ib, const int *jb, const int *desc_b, const void *beta,
             void *c, const int *ic, const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PDGEMM,
                                        .type = SCT_F64,
                                        .name = "PDGEMM",
                                        .symbol = "pdgemm_",
                                        .ours = (sct_function *)own_pdgemm};
    run(&routine, __builtin_return_address(0), op_a, op_b, m, n, k, alpha, a, ia, ja, desc_a, b, ib,
        jb, desc_b, beta, c, ic, jc, desc_c);
}

void pcgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k,
             const void *alpha, const void *a, const int *ia, const int *ja, const int *desc_a,
             const void *b, const int *ib, const int *jb, const int *desc_b, const void *beta,
             void *c, const int *ic, const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PCGEMM,
                                        .type = SCT_CF32,
                                        .name = "PCGEMM",
                                        .symbol = "pcgemm_",
                                        .ours = (sct_function *)own_pcgemm};
    run(&routine, __builtin_return_address(0), op_a, op_b, m, n, k, alpha, a, ia, ja, desc_a, b, ib,
        jb, desc_b, beta, c, ic, jc, desc_c);
}

void pzgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k,
             const void *alpha, const void *a, const int *ia, const int *ja, const int *desc_a,
             const void *b, const int *ib, const int *jb, const int *desc_b, const void *beta,
             void *c, const int *ic, const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PZGEMM,
                                        .type = SCT_CF64,
                                        .name = "PZGEMM",
                                        .symbol = "pzgemm_",
                                        .ours = (sct_function *)own_pzgemm};
    run(&routine, __builtin_return_address(0), op_a, op_b, m, n, k, alpha, a, ia, ja, desc_a, b, ib,
        jb, desc_b, beta, c, ic, jc, desc_c);
}

extern sct_scalapack_gemm sectile_psgemm_ __attribute__((alias("psgemm_")));
extern sct_scalapack_gemm sectile_pdgemm_ __attribute__((alias("pdgemm_")));
extern sct_scalapack_gemm sectile_pcgemm_ __attribute__((alias("pcgemm_")));
extern sct_scalapack_gemm sectile_pzgemm_ __attribute__((alias("pzgemm_")));
