/* sectile_scalapack.h - Sectile for programs that use ScaLAPACK.
 *
 * There is one library for each MPI. Linked before ScaLAPACK, or named in LD_PRELOAD, it serves
 * p?gemm for a program that is not changed (docs/scalapack.md). This header is for programs that
 * call it knowingly: the same routines with a prefix, and settings.
 *
 * It uses the BLACS of the program, and calls no other ScaLAPACK unless it passes a call on. */
#ifndef SECTILE_SCALAPACK_H
#define SECTILE_SCALAPACK_H

#include <sectile/sectile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- ScaLAPACK's routines, with its arguments and its reports of bad ones ---- */

/* C = alpha op(A) op(B) + beta C: op_a, op_b, m, n, k, alpha, a, ia, ja, desc_a, b, ib, jb, desc_b,
 * beta, c, ic, jc, desc_c. */
typedef void sct_scalapack_gemm(const char *, const char *, const int *, const int *, const int *,
                                const void *, const void *, const int *, const int *, const int *,
                                const void *, const int *, const int *, const int *, const void *,
                                void *, const int *, const int *, const int *);
SCT_API sct_scalapack_gemm sectile_psgemm_, sectile_pdgemm_, sectile_pcgemm_, sectile_pzgemm_;

/* ---- Settings and counts ---- */

/* Products of which the cube root of m n k is less than `order` are passed on to ScaLAPACK, if the
 * program has it. 0: none. The same on all processes. No errors. Not collective. */
SCT_API void sct_scalapack_set_threshold(double order);
/* Returns the threshold. No errors. Not collective. */
SCT_API double sct_scalapack_threshold(void);

/* What became of the calls of this process so far. */
typedef struct sct_scalapack_calls {
    uint64_t served, passed_on, bad; /* bad: with a bad argument, which was reported */
    double seconds_served, seconds_passed_on;
} sct_scalapack_calls;
/* Returns the counts. No errors. Not collective. */
SCT_API sct_scalapack_calls sct_scalapack_count(void);

/* ---- Process grids ---- */

/* A process grid in a world: ranks[i * cols + j] is the rank of process (i, j); NULL: these ranks
 * are 0, 1, 2, ... */
typedef struct sct_scalapack_grid {
    size_t size;
    int rows, cols;
    const int *ranks;
} sct_scalapack_grid;

#ifdef __cplusplus
}
#endif
#endif
