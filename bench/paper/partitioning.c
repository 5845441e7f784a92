/* partitioning.c - names of partitionings, and layouts as texts. */
#include "partitioning.h"

#include <stdio.h>

const int named[NAMED] = {COLUMNS, INNER, OUTER, ROWS, BLOCKS};

static const char *const kinds[KINDS] = {"row", "col", "2d"};

static int kind_of(int partitioning, int matrix) {
    for (int i = matrix + 1; i < MATRICES; i++)
        partitioning /= KINDS;
    return partitioning % KINDS;
}

void partitioning_name(int partitioning, char text[TEXT]) {
    static const char *const names[PARTITIONINGS] = {[ROWS] = "row block",
                                                     [COLUMNS] = "column block",
                                                     [INNER] = "inner product",
                                                     [OUTER] = "outer product",
                                                     [BLOCKS] = "2-D block",
                                                     [ALIGNED] = "aligned 2-D",
                                                     [MISALIGNED_K] = "2-D, misaligned in k",
                                                     [MISALIGNED_N] = "2-D, misaligned in n"};
    if (names[partitioning])
        snprintf(text, TEXT, "%s", names[partitioning]);
    else
        snprintf(text, TEXT, "%s, %s, %s", kinds[kind_of(partitioning, A)],
                 kinds[kind_of(partitioning, B)], kinds[kind_of(partitioning, C)]);
}

static int64_t part(int64_t size, int parts) {
    return (size + parts - 1) / parts;
}

static int common_multiple(int x, int y) {
    int multiple = x;
    while (multiple % y != 0)
        multiple += x;
    return multiple;
}

/* Tiles that end where those of the other matrices do: m is cut as the grid's rows are, n as its
 * columns are, and k as both are, so that tiles of A and of B are dealt round. */
static void aligned_layout(int matrix, const int64_t shape[DIMS], int ranks, int copies,
                           char text[TEXT]) {
    int across = ranks / copies, rows = 1;
    for (int i = 1; i * i <= across; i++)
        rows = across % i == 0 ? i : rows;
    int cols = across / rows;
    int64_t m = part(shape[M], rows), n = part(shape[N], cols);
    int64_t k = part(shape[K], common_multiple(rows, cols));
    snprintf(text, TEXT, "cyclic:%lldx%lld@%dx%d*%d", (long long)(matrix == B ? k : m),
             (long long)(matrix == A ? k : n), rows, cols, copies);
}

void partitioning_layout(int partitioning, int matrix, const int64_t shape[DIMS], int ranks,
                         int copies, char text[TEXT]) {
    static const char *const grids[][MATRICES] = {
        [MISALIGNED_K - COMBINATIONS] = {"2d:4x3", "2d:4x3", "2d:4x3"},
        [MISALIGNED_N - COMBINATIONS] = {"2d:4x3", "2d:3x4", "2d:4x3"}};
    if (partitioning == ALIGNED)
        aligned_layout(matrix, shape, ranks, copies, text);
    else if (partitioning > ALIGNED)
        snprintf(text, TEXT, "%s", grids[partitioning - COMBINATIONS][matrix]);
    else
        snprintf(text, TEXT, "%s*%d", kinds[kind_of(partitioning, matrix)], copies);
}
