/* pieces.h - slicing: one dimension of a product, cut so that each piece is one set of indices.
 *
 * The indices that coordinate x of the one matrix and coordinate y of the other share form one
 * piece, however many blocks they come from: the work between two owners is then one box of pieces,
 * m x k x n. The same dimension can be cut at every bound of a block instead, as the paper does, or
 * wherever either side's memory is not contiguous.
 *
 * A list of pieces is stored only if it has to be. Where each piece is one range of indices and one
 * span on either side, of not too many blocks, and pieces follow each other as their indices do,
 * readers find them as they go, however many there are. */
#ifndef SCT_LAYOUT_PIECES_H
#define SCT_LAYOUT_PIECES_H

#include "layout/dimension.h"

/* Contiguous positions in the class of one coordinate. */
typedef struct sct_span {
    int64_t at, count;
    int coord;
} sct_span;

typedef struct sct_spans {
    int64_t count;
    sct_span first;
    const sct_span *all; /* belong to the list; NULL if there is but one */
} sct_spans;

/* Indices in ascending order, and where each side has them: the spans of a side, one after another,
 * hold the same indices in the same order. */
typedef struct sct_piece {
    sct_indices indices;
    sct_spans side[2];
} sct_piece;

/* As few pieces as a limit allows, as equal as can be: the first `larger` have one index more. */
typedef struct sct_parts {
    int64_t count, size, larger;
} sct_parts;

/* Stretches that follow each other on both sides, cut in equal parts, each of which is a piece. */
typedef struct sct_chain {
    sct_stretch whole;
    int64_t joined; /* stretches */
    int64_t first;  /* piece */
    sct_parts parts;
} sct_chain;

/* Where a chain begins: its first piece and its first index. */
typedef struct sct_mark {
    int64_t piece, index;
} sct_mark;

typedef struct sct_pieces {
    int64_t count;
    int64_t largest;         /* indices in one piece */
    int64_t total;           /* indices in all */
    int64_t sets;            /* that would be pieces if none were cut to be small */
    int64_t stretches;       /* that it took to find them */
    bool scattered[2];       /* some piece is several spans on that side */
    bool parted[2];          /* the pieces are of several owners on that side */
    sct_dimension dimension; /* of a list that is not stored: no more than its pieces span */
    /* Of a list that is not stored: a mark for every so many chains; of any list only so many. */
    int64_t stride, marks, room;
    sct_mark *mark;
    /* Of a list that is stored; with ranges and spans if some piece is several. */
    sct_piece *piece;
    sct_range *ranges;
    sct_span *spans[2];
} sct_pieces;

/* How far someone has come in a list; at first all zero. Pieces are found fastest in order. */
typedef struct sct_reader {
    const sct_pieces *pieces;
    sct_chain chain;
    sct_stretch ahead; /* the first one after the chain, if there is more */
    bool more;
    sct_cursor cursor; /* after that one */
} sct_reader;

/* Keeps the axes of the dimension, but does not own them. */
sct_status sct_pieces_create(const sct_dimension *dimension, sct_pieces *pieces);
void sct_pieces_clear(sct_pieces *pieces);
/* Whether the first piece, as wide as can be, is several spans on a side whose owners part pieces:
 * where blocks are small that shows long before all pieces are found. */
bool sct_pieces_begin_scattered(const sct_dimension *dimension);
/* Piece `index`; a reader may have come from another list. */
void sct_pieces_read(const sct_pieces *pieces, int64_t index, sct_reader *reader, sct_piece *piece);

/* Of `spans->count`, one after another. */
static inline const sct_span *sct_spans_list(const sct_spans *spans) {
    return spans->all ? spans->all : &spans->first;
}

/* Whether so many pieces of so many indices are too many, and too thin, to be multiplied apart. */
static inline bool sct_pieces_thin(int64_t count, int64_t total) {
    enum { FEW = 8, THIN = 128 };
    return count > FEW && total < THIN * count;
}

/* Whether two begin at one place. */
static inline bool sct_span_same_place(const sct_span *x, const sct_span *y) {
    return x->at == y->at && x->coord == y->coord;
}

#endif
