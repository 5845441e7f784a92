/* fortran_tran.c - p?tran, p?tranu and p?tranc by their names: those of ScaLAPACK, and the same
 * with a prefix. */
#include "scalapack/tran.h"

#include <sectile/sectile_scalapack.h>

SCT_API sct_scalapack_tran pstran_, pdtran_, pctranu_, pztranu_, pctranc_, pztranc_;

/* The same, whatever else has their names. */
static sct_scalapack_tran own_pstran __attribute__((alias("pstran_")));
static sct_scalapack_tran own_pdtran __attribute__((alias("pdtran_")));
static sct_scalapack_tran own_pctranu __attribute__((alias("pctranu_")));
static sct_scalapack_tran own_pztranu __attribute__((alias("pztranu_")));
static sct_scalapack_tran own_pctranc __attribute__((alias("pctranc_")));
static sct_scalapack_tran own_pztranc __attribute__((alias("pztranc_")));

void pstran_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
             const int *ja, const int *desc_a, const void *beta, void *c, const int *ic,
             const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PSTRAN,
                                        .type = SCT_F32,
                                        .name = "PSTRAN",
                                        .symbol = "pstran_",
                                        .ours = (sct_function *)own_pstran};
    const sct_tran_call call = {m, n, alpha, beta, {a, ia, ja, desc_a}, {c, ic, jc, desc_c}};
    sct_tran_run(&routine, SCT_T, __builtin_return_address(0), &call);
}

void pdtran_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
             const int *ja, const int *desc_a, const void *beta, void *c, const int *ic,
             const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PDTRAN,
                                        .type = SCT_F64,
                                        .name = "PDTRAN",
                                        .symbol = "pdtran_",
                                        .ours = (sct_function *)own_pdtran};
    const sct_tran_call call = {m, n, alpha, beta, {a, ia, ja, desc_a}, {c, ic, jc, desc_c}};
    sct_tran_run(&routine, SCT_T, __builtin_return_address(0), &call);
}

void pctranu_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
              const int *ja, const int *desc_a, const void *beta, void *c, const int *ic,
              const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PCTRANU,
                                        .type = SCT_CF32,
                                        .name = "PCTRANU",
                                        .symbol = "pctranu_",
                                        .ours = (sct_function *)own_pctranu};
    const sct_tran_call call = {m, n, alpha, beta, {a, ia, ja, desc_a}, {c, ic, jc, desc_c}};
    sct_tran_run(&routine, SCT_T, __builtin_return_address(0), &call);
}

void pztranu_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
              const int *ja, const int *desc_a, const void *beta, void *c, const int *ic,
              const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PZTRANU,
                                        .type = SCT_CF64,
                                        .name = "PZTRANU",
                                        .symbol = "pztranu_",
                                        .ours = (sct_function *)own_pztranu};
    const sct_tran_call call = {m, n, alpha, beta, {a, ia, ja, desc_a}, {c, ic, jc, desc_c}};
    sct_tran_run(&routine, SCT_T, __builtin_return_address(0), &call);
}

void pctranc_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
              const int *ja, const int *desc_a, const void *beta, void *c, const int *ic,
              const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PCTRANC,
                                        .type = SCT_CF32,
                                        .name = "PCTRANC",
                                        .symbol = "pctranc_",
                                        .ours = (sct_function *)own_pctranc};
    const sct_tran_call call = {m, n, alpha, beta, {a, ia, ja, desc_a}, {c, ic, jc, desc_c}};
    sct_tran_run(&routine, SCT_C, __builtin_return_address(0), &call);
}

void pztranc_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
              const int *ja, const int *desc_a, const void *beta, void *c, const int *ic,
              const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PZTRANC,
                                        .type = SCT_CF64,
                                        .name = "PZTRANC",
                                        .symbol = "pztranc_",
                                        .ours = (sct_function *)own_pztranc};
    const sct_tran_call call = {m, n, alpha, beta, {a, ia, ja, desc_a}, {c, ic, jc, desc_c}};
    sct_tran_run(&routine, SCT_C, __builtin_return_address(0), &call);
}

extern sct_scalapack_tran sectile_pstran_ __attribute__((alias("pstran_")));
extern sct_scalapack_tran sectile_pdtran_ __attribute__((alias("pdtran_")));
extern sct_scalapack_tran sectile_pctranu_ __attribute__((alias("pctranu_")));
extern sct_scalapack_tran sectile_pztranu_ __attribute__((alias("pztranu_")));
extern sct_scalapack_tran sectile_pctranc_ __attribute__((alias("pctranc_")));
extern sct_scalapack_tran sectile_pztranc_ __attribute__((alias("pztranc_")));
