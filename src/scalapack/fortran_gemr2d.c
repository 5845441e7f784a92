/* fortran_gemr2d.c - p?gemr2d by its names: that of ScaLAPACK, and the same with a prefix. */
#include "scalapack/gemr2d.h"

#include <sectile/sectile_scalapack.h>

SCT_API sct_scalapack_gemr2d psgemr2d_, pdgemr2d_, pcgemr2d_, pzgemr2d_;

/* The same, whatever else has their names. */
static sct_scalapack_gemr2d own_psgemr2d __attribute__((alias("psgemr2d_")));
static sct_scalapack_gemr2d own_pdgemr2d __attribute__((alias("pdgemr2d_")));
static sct_scalapack_gemr2d own_pcgemr2d __attribute__((alias("pcgemr2d_")));
static sct_scalapack_gemr2d own_pzgemr2d __attribute__((alias("pzgemr2d_")));

void psgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
               const int *desc_a, void *b, const int *ib, const int *jb, const int *desc_b,
               const int *context) {
    static const sct_routine routine = {.number = SCT_PSGEMR2D,
                                        .type = SCT_F32,
                                        .name = "PSGEMR2D",
                                        .symbol = "psgemr2d_",
                                        .ours = (sct_function *)own_psgemr2d};
    const sct_gemr2d_call call = {m, n, {a, ia, ja, desc_a}, {b, ib, jb, desc_b}, context};
    sct_gemr2d_run(&routine, __builtin_return_address(0), &call);
}

void pdgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
               const int *desc_a, void *b, const int *ib, const int *jb, const int *desc_b,
               const int *context) {
    static const sct_routine routine = {.number = SCT_PDGEMR2D,
                                        .type = SCT_F64,
                                        .name = "PDGEMR2D",
                                        .symbol = "pdgemr2d_",
                                        .ours = (sct_function *)own_pdgemr2d};
    const sct_gemr2d_call call = {m, n, {a, ia, ja, desc_a}, {b, ib, jb, desc_b}, context};
    sct_gemr2d_run(&routine, __builtin_return_address(0), &call);
}

void pcgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
               const int *desc_a, void *b, const int *ib, const int *jb, const int *desc_b,
               const int *context) {
    static const sct_routine routine = {.number = SCT_PCGEMR2D,
                                        .type = SCT_CF32,
                                        .name = "PCGEMR2D",
                                        .symbol = "pcgemr2d_",
                                        .ours = (sct_function *)own_pcgemr2d};
    const sct_gemr2d_call call = {m, n, {a, ia, ja, desc_a}, {b, ib, jb, desc_b}, context};
    sct_gemr2d_run(&routine, __builtin_return_address(0), &call);
}

void pzgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
               const int *desc_a, void *b, const int *ib, const int *jb, const int *desc_b,
               const int *context) {
    static const sct_routine routine = {.number = SCT_PZGEMR2D,
                                        .type = SCT_CF64,
                                        .name = "PZGEMR2D",
                                        .symbol = "pzgemr2d_",
                                        .ours = (sct_function *)own_pzgemr2d};
    const sct_gemr2d_call call = {m, n, {a, ia, ja, desc_a}, {b, ib, jb, desc_b}, context};
    sct_gemr2d_run(&routine, __builtin_return_address(0), &call);
}

extern sct_scalapack_gemr2d sectile_psgemr2d_ __attribute__((alias("psgemr2d_")));
extern sct_scalapack_gemr2d sectile_pdgemr2d_ __attribute__((alias("pdgemr2d_")));
extern sct_scalapack_gemr2d sectile_pcgemr2d_ __attribute__((alias("pcgemr2d_")));
extern sct_scalapack_gemr2d sectile_pzgemr2d_ __attribute__((alias("pzgemr2d_")));
