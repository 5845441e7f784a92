/* fortran_gemr2d.c - p?gemr2d by its names: that of ScaLAPACK, and the same with a prefix. */
#include "scalapack/gemr2d.h"

#include <sectile/sectile_scalapack.h>

SCT_API sct_scalapack_gemr2d psgemr2d_, pdgemr2d_, pcgemr2d_, pzgemr2d_;

void psgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
               const int *desc_a, void *b, const int *ib, const int *jb, const int *desc_b,
               const int *context) {
    static sct_routine routine = {.type = SCT_F32,
                                  .name = "PSGEMR2D",
                                  .symbol = "psgemr2d_",
                                  .ours = (sct_function *)sectile_psgemr2d_};
    const sct_gemr2d_call call = {m, n, {a, ia, ja, desc_a}, {b, ib, jb, desc_b}, context};
    sct_gemr2d_run(&routine, &call);
}

void pdgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
               const int *desc_a, void *b, const int *ib, const int *jb, const int *desc_b,
               const int *context) {
    static sct_routine routine = {.type = SCT_F64,
                                  .name = "PDGEMR2D",
                                  .symbol = "pdgemr2d_",
                                  .ours = (sct_function *)sectile_pdgemr2d_};
    const sct_gemr2d_call call = {m, n, {a, ia, ja, desc_a}, {b, ib, jb, desc_b}, context};
    sct_gemr2d_run(&routine, &call);
}

void pcgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
               const int *desc_a, void *b, const int *ib, const int *jb, const int *desc_b,
               const int *context) {
    static sct_routine routine = {.type = SCT_CF32,
                                  .name = "PCGEMR2D",
                                  .symbol = "pcgemr2d_",
                                  .ours = (sct_function *)sectile_pcgemr2d_};
    const sct_gemr2d_call call = {m, n, {a, ia, ja, desc_a}, {b, ib, jb, desc_b}, context};
    sct_gemr2d_run(&routine, &call);
}

void pzgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
               const int *desc_a, void *b, const int *ib, const int *jb, const int *desc_b,
               const int *context) {
    static sct_routine routine = {.type = SCT_CF64,
                                  .name = "PZGEMR2D",
                                  .symbol = "pzgemr2d_",
                                  .ours = (sct_function *)sectile_pzgemr2d_};
    const sct_gemr2d_call call = {m, n, {a, ia, ja, desc_a}, {b, ib, jb, desc_b}, context};
    sct_gemr2d_run(&routine, &call);
}

extern sct_scalapack_gemr2d sectile_psgemr2d_ __attribute__((alias("psgemr2d_")));
extern sct_scalapack_gemr2d sectile_pdgemr2d_ __attribute__((alias("pdgemr2d_")));
extern sct_scalapack_gemr2d sectile_pcgemr2d_ __attribute__((alias("pcgemr2d_")));
extern sct_scalapack_gemr2d sectile_pzgemr2d_ __attribute__((alias("pzgemr2d_")));
