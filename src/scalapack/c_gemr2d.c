/* c_gemr2d.c - p?gemr2d by the names that ScaLAPACK has for C, which take values. */
#include "scalapack/gemr2d.h"

#include <sectile/sectile_scalapack.h>

typedef void gemr2d(int m, int n, const void *a, int ia, int ja, const int *desc_a, void *b, int ib,
                    int jb, const int *desc_b, int context);

SCT_API gemr2d Cpsgemr2d, Cpdgemr2d, Cpcgemr2d, Cpzgemr2d;

/* The same, whatever else has their names. */
static gemr2d own_psgemr2d __attribute__((alias("Cpsgemr2d")));
static gemr2d own_pdgemr2d __attribute__((alias("Cpdgemr2d")));
static gemr2d own_pcgemr2d __attribute__((alias("Cpcgemr2d")));
static gemr2d own_pzgemr2d __attribute__((alias("Cpzgemr2d")));

void Cpsgemr2d(int m, int n, const void *a, int ia, int ja, const int *desc_a, void *b, int ib,
               int jb, const int *desc_b, int context) {
    static const sct_routine routine = {.number = SCT_CPSGEMR2D,
                                        .type = SCT_F32,
                                        .name = "CPSGEMR2D",
                                        .symbol = "Cpsgemr2d",
                                        .ours = (sct_function *)own_psgemr2d};
    const sct_gemr2d_call call = {&m, &n, {a, &ia, &ja, desc_a}, {b, &ib, &jb, desc_b}, &context};
    sct_gemr2d_run(&routine, __builtin_return_address(0), &call);
}

void Cpdgemr2d(int m, int n, const void *a, int ia, int ja, const int *desc_a, void *b, int ib,
               int jb, const int *desc_b, int context) {
    static const sct_routine routine = {.number = SCT_CPDGEMR2D,
                                        .type = SCT_F64,
                                        .name = "CPDGEMR2D",
                                        .symbol = "Cpdgemr2d",
                                        .ours = (sct_function *)own_pdgemr2d};
    const sct_gemr2d_call call = {&m, &n, {a, &ia, &ja, desc_a}, {b, &ib, &jb, desc_b}, &context};
    sct_gemr2d_run(&routine, __builtin_return_address(0), &call);
}

void Cpcgemr2d(int m, int n, const void *a, int ia, int ja, const int *desc_a, void *b, int ib,
               int jb, const int *desc_b, int context) {
    static const sct_routine routine = {.number = SCT_CPCGEMR2D,
                                        .type = SCT_CF32,
                                        .name = "CPCGEMR2D",
                                        .symbol = "Cpcgemr2d",
                                        .ours = (sct_function *)own_pcgemr2d};
    const sct_gemr2d_call call = {&m, &n, {a, &ia, &ja, desc_a}, {b, &ib, &jb, desc_b}, &context};
    sct_gemr2d_run(&routine, __builtin_return_address(0), &call);
}

void Cpzgemr2d(int m, int n, const void *a, int ia, int ja, const int *desc_a, void *b, int ib,
               int jb, const int *desc_b, int context) {
    static const sct_routine routine = {.number = SCT_CPZGEMR2D,
                                        .type = SCT_CF64,
                                        .name = "CPZGEMR2D",
                                        .symbol = "Cpzgemr2d",
                                        .ours = (sct_function *)own_pzgemr2d};
    const sct_gemr2d_call call = {&m, &n, {a, &ia, &ja, desc_a}, {b, &ib, &jb, desc_b}, &context};
    sct_gemr2d_run(&routine, __builtin_return_address(0), &call);
}
