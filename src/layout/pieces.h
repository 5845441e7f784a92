/* pieces.h - slicing: one dimension of a product, cut so that each piece is one set of indices.
 *
 * Two matrices meet in a dimension: A and C in m, A and B in k, B and C in n. The indices that
 * coordinate x of the one and coordinate y of the other share form one piece, however many blocks
 * they come from: the work between two owners is then one box of pieces, m x k x n. The same
 * dimension can be cut at every bound of a block instead, as the paper does, or wherever either
 * side's memory is not contiguous. */
#ifndef SCT_LAYOUT_PIECES_H
#define SCT_LAYOUT_PIECES_H

#include "layout/axis.h"

#include <stdbool.h>

typedef enum sct_cutting {
    SCT_CUT_CLASSES, /* a piece for each pair of owners */
    SCT_CUT_TILES,   /* a piece for each pair of blocks */
    SCT_CUT_RUNS     /* as classes, but each piece is one span on both sides */
} sct_cutting;

typedef struct sct_dimension {
    const sct_axis *axis[2];
    int64_t offset[2]; /* index i of the dimension is index i + offset of the axis */
    int only[2];       /* the one coordinate that counts, or -1; not both */
    sct_range range;   /* the part of the dimension that counts */
    bool merge[2];     /* with classes: owners on this side do not part pieces */
    sct_cutting cutting;
    int64_t most; /* indices in a piece; 0: no limit */
} sct_dimension;

/* Contiguous positions in the class of one coordinate. */
typedef struct sct_span {
    int64_t at, count;
    int coord;
} sct_span;

typedef struct sct_spans {
    int64_t count;
    const sct_span *span;
} sct_spans;

/* Indices in ascending order, and where each side has them: the spans of a side, one after another,
 * hold the same indices in the same order. */
typedef struct sct_piece {
    sct_indices indices;
    sct_spans side[2];
} sct_piece;

typedef struct sct_pieces {
    int64_t count;
    int64_t largest; /* indices in one piece */
    int64_t total;   /* indices in all */
    sct_piece *piece;
    sct_range *ranges;
    sct_span *spans[2];
} sct_pieces;

sct_status sct_pieces_create(const sct_dimension *dimension, sct_pieces *pieces);
void sct_pieces_clear(sct_pieces *pieces);
/* Whether some piece is several spans on a side. */
bool sct_pieces_scattered(const sct_pieces *pieces, int side);
/* Whether the pieces are of several owners on a side. */
bool sct_pieces_parted(const sct_pieces *pieces, int side);

/* How many indices of the range belong to coordinate x of the first axis and y of the second. */
int64_t sct_dimension_common(const sct_dimension *dimension, int x, int y);

#endif
