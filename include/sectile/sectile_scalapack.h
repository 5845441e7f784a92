/* sectile_scalapack.h - Sectile for programs that use ScaLAPACK.
 *
 * There is one library for each MPI. Linked before ScaLAPACK, or named in LD_PRELOAD, it serves
 * p?gemm, p?tran, p?gemr2d and Cp?gemr2d for a program that is not changed (docs/scalapack.md).
 * This header is for programs that call it knowingly: the same routines with a prefix, settings,
 * and the way from a descriptor to a layout and back.
 *
 * It uses the BLACS of the program, and calls no other ScaLAPACK unless it passes a call on. */
#ifndef SECTILE_SCALAPACK_H
#define SECTILE_SCALAPACK_H

#include <sectile/sectile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- ScaLAPACK's routines, with its arguments. It reports bad ones ---- */

/* C = alpha op(A) op(B) + beta C: op_a, op_b, m, n, k, alpha, a, ia, ja, desc_a, b, ib, jb, desc_b,
 * beta, c, ic, jc, desc_c. */
typedef void sct_scalapack_gemm(const char *, const char *, const int *, const int *, const int *,
                                const void *, const void *, const int *, const int *, const int *,
                                const void *, const int *, const int *, const int *, const void *,
                                void *, const int *, const int *, const int *);
/* C = alpha op(A) + beta C: m, n, alpha, a, ia, ja, desc_a, beta, c, ic, jc, desc_c. */
typedef void sct_scalapack_tran(const int *, const int *, const void *, const void *, const int *,
                                const int *, const int *, const void *, void *, const int *,
                                const int *, const int *);
/* B = A, between two contexts: m, n, a, ia, ja, desc_a, b, ib, jb, desc_b, and a context of all
 * processes of both. */
typedef void sct_scalapack_gemr2d(const int *, const int *, const void *, const int *, const int *,
                                  const int *, void *, const int *, const int *, const int *,
                                  const int *);

SCT_API sct_scalapack_gemm sectile_psgemm_, sectile_pdgemm_, sectile_pcgemm_, sectile_pzgemm_;
SCT_API sct_scalapack_tran sectile_pstran_, sectile_pdtran_, sectile_pctranu_, sectile_pztranu_,
    sectile_pctranc_, sectile_pztranc_;
SCT_API sct_scalapack_gemr2d sectile_psgemr2d_, sectile_pdgemr2d_, sectile_pcgemr2d_,
    sectile_pzgemr2d_;

/* ---- Settings and counts ---- */

/* Products of which the cube root of m n k is less than `order`, or k less than half of that, are
 * passed on to ScaLAPACK, if the program has it. 0: none. The same on all processes. No errors. Not
 * collective. */
SCT_API void sct_scalapack_set_threshold(double order);
/* Returns the threshold. No errors. Not collective. */
SCT_API double sct_scalapack_threshold(void);

/* What became of the calls of this process so far. */
typedef struct sct_scalapack_calls {
    uint64_t served, passed_on, bad; /* bad: with a bad argument, for ScaLAPACK to report */
    double seconds_served;
    double seconds_passed_on; /* 0 unless SECTILE_SCALAPACK_STATS asks for counts */
} sct_scalapack_calls;
/* Returns the counts. No errors. Not collective. */
SCT_API sct_scalapack_calls sct_scalapack_count(void);

/* ---- Descriptors and layouts ---- */

/* A process grid in a world: ranks[i * cols + j] is the rank of process (i, j); NULL: these ranks
 * are 0, 1, 2, ... */
typedef struct sct_scalapack_grid {
    size_t size;
    int rows, cols;
    const int *ranks;
} sct_scalapack_grid;

/* Makes the layout of a descriptor with 9 or 11 entries. grid == NULL: the grid of the descriptor's
 * context, as the BLACS of the program knows it. What lies on all rows or columns of the grid (a
 * source of -1) has as many replicas. Errors: SCT_BAD_ARGUMENT for a descriptor of another kind or
 * with an entry that is out of range, or if this process is not in its context; SCT_NO_ENGINE if
 * the program has no BLACS, or one with 64-bit integers. Not collective. */
SCT_API sct_status sct_layout_from_scalapack(const int *descriptor, const sct_scalapack_grid *grid,
                                             sct_layout **layout);
/* Writes the 11 entries of the descriptor of a layout: with context `context` and leading dimension
 * `ld` (0: the least that `rank` needs). Errors: SCT_BAD_ARGUMENT if no descriptor on this grid has
 * that layout, which is block-cyclic and column-major. Not collective. */
SCT_API sct_status sct_layout_to_scalapack(const sct_layout *layout, const sct_scalapack_grid *grid,
                                           int context, int rank, int ld, int descriptor[11]);

#ifdef __cplusplus
}
#endif
#endif
