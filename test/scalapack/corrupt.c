/* corrupt.c - a library to preload before the drop-in: in each result of pdgemm it changes the
 * first element, on the process that owns it. The tester must notice. */
#include "scalapack/arguments.h"

#include <dlfcn.h>
#include <sectile/sectile_scalapack.h>
#include <string.h>

extern sct_scalapack_gemm pdgemm_;

/* The local position of an index, on its owner; -1 elsewhere. */
static long position(sct_dealing dealing, int coord, int index) {
    int before = sct_dealing_owned(&dealing, coord, index);
    return sct_dealing_owned(&dealing, coord, index + 1) > before ? before : -1;
}

static void corrupt(const sct_program *program, double *c, int row, int col, const int *entries) {
    sct_descriptor d = sct_descriptor_read(entries);
    sct_grid grid;
    if (sct_program_grid(program, d.context, &grid) || grid.rows < 0 || row < 0 || col < 0 ||
        d.ld < 1)
        return;
    long i = position(sct_descriptor_rows(&d, grid.rows), grid.row, row);
    long j = position(sct_descriptor_cols(&d, grid.cols), grid.col, col);
    if (i >= 0 && j >= 0)
        c[i + j * d.ld] += 1;
}

void pdgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k,
             const void *alpha, const void *a, const int *ia, const int *ja, const int *desc_a,
             const void *b, const int *ib, const int *jb, const int *desc_b, const void *beta,
             void *c, const int *ic, const int *jc, const int *desc_c) {
    void *found = dlsym(RTLD_NEXT, "pdgemm_");
    sct_scalapack_gemm *next;
    memcpy(&next, &found, sizeof next);
    next(op_a, op_b, m, n, k, alpha, a, ia, ja, desc_a, b, ib, jb, desc_b, beta, c, ic, jc, desc_c);
    if (*m > 0 && *n > 0)
        corrupt(sct_program_of(__builtin_return_address(0)), c, *ic - 1, *jc - 1, desc_c);
}
