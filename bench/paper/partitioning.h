/* partitioning.h - how the paper partitions A, B and C: rows, columns or 2-D blocks, each in its
 * own. */
#ifndef PAPER_PARTITIONING_H
#define PAPER_PARTITIONING_H

#include <stddef.h>
#include <stdint.h>

enum { A, B, C, MATRICES };
enum { M, N, K, DIMS };
enum { ROW, COL, BLOCK, KINDS };

/* All combinations of kinds, A's the most significant digit; those that the paper names; and more
 * 2-D blocks: with aligned tiles, and, without copies on 12 ranks, with tiles that meet in pieces
 * of different sizes along one dimension. */
enum {
    ROWS = (ROW * KINDS + ROW) * KINDS + ROW,
    INNER = (ROW * KINDS + COL) * KINDS + COL,
    OUTER = (COL * KINDS + ROW) * KINDS + ROW,
    COLUMNS = (COL * KINDS + COL) * KINDS + COL,
    BLOCKS = (BLOCK * KINDS + BLOCK) * KINDS + BLOCK,
    COMBINATIONS = KINDS * KINDS * KINDS,
    ALIGNED = COMBINATIONS,
    MISALIGNED_K,
    MISALIGNED_N,
    PARTITIONINGS
};

/* Those of the combinations that the paper's text names. */
enum { NAMED = 5 };
extern const int named[NAMED];

enum { TEXT = 64 };

/* What the paper calls it, or the kinds of A, B and C. */
void partitioning_name(int partitioning, char text[TEXT]);
/* The layout of one matrix with so many copies on so many ranks. */
void partitioning_layout(int partitioning, int matrix, const int64_t shape[DIMS], int ranks,
                         int copies, char text[TEXT]);

#endif
