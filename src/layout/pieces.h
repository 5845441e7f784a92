/* pieces.h - slicing: cuts a dimension so that each piece is one set of indices.
 *
 * All indices that coordinate x of one matrix and coordinate y of the other share form one piece,
 * however many blocks they come from. So the work between two owners is one box m x k x n of
 * pieces. Alternatively a dimension is cut at every block bound, as in the paper, or wherever
 * storage is not contiguous on either side.
 *
 * A list of pieces is stored only if necessary. If each piece is one range of indices and one span
 * on either side, of not too many blocks, and pieces are in order of their indices, readers compute
 * them one after another. */
#ifndef SCT_LAYOUT_PIECES_H
#define SCT_LAYOUT_PIECES_H

#include "layout/dimension.h"

/* Contiguous positions in the class of one coordinate. */
typedef struct sct_span {
    int64_t at, count;
    int coord;
} sct_span;

/* Where blocks repeat, a list need not name all of its spans. The `length` spans from number
 * `first` on occur again `times` times, each time `shift` positions further on. */
typedef struct sct_repeat {
    int64_t first, length, times, shift;
} sct_repeat;

typedef struct sct_spans {
    int64_t count;
    sct_span first;
    const sct_span *all;      /* owned by the list; NULL if there is only one */
    const sct_repeat *repeat; /* owned by the list; NULL if all are listed */
} sct_spans;

/* Indices in ascending order, and where each side stores them: the spans of a side, concatenated,
 * hold the same indices in the same order. */
typedef struct sct_piece {
    sct_indices indices;
    sct_spans side[2];
} sct_piece;

/* Pieces as few and as equal as a limit allows: the first `larger` have one index more. */
typedef struct sct_parts {
    int64_t count, size, larger;
} sct_parts;

/* Consecutive stretches that are contiguous on both sides. Cut into equal parts, each part is a
 * piece. */
typedef struct sct_chain {
    sct_stretch whole;
    int64_t joined; /* number of stretches */
    int64_t first;  /* piece */
    sct_parts parts;
} sct_chain;

/* The start of a chain: its first piece and its first index. */
typedef struct sct_mark {
    int64_t piece, index;
} sct_mark;

typedef struct sct_pieces {
    int64_t count;
    int64_t largest;         /* most indices in one piece */
    int64_t total;           /* indices in total */
    int64_t sets;            /* pieces before cutting to the limit */
    int64_t stretches;       /* stretches visited */
    bool scattered[2];       /* some piece has several spans on that side */
    bool split[2];           /* pieces have different owners on that side */
    sct_dimension dimension; /* if computed: restricted to what its pieces span */
    /* If computed: a mark for every `stride` chains, up to a limit. */
    int64_t stride, marks, room;
    sct_mark *mark;
    /* If stored: the pieces, with arrays of ranges and spans where needed. */
    sct_piece *piece;
    sct_range *ranges;
    sct_span *spans[2];
    sct_repeat *repeat; /* by piece and side; NULL if all spans are listed */
} sct_pieces;

/* Longer lists are refused: one of this length takes a few GB to sort. */
enum { SCT_MOST_LISTED = 1 << 25 };

/* A read position in a list, all zero at first. Reading in order is fastest. */
typedef struct sct_reader {
    const sct_pieces *pieces;
    sct_chain chain;
    sct_stretch ahead; /* first stretch after the chain, if any */
    bool more;
    sct_cursor cursor; /* after that stretch */
} sct_reader;

/* Turns the pieces of a shortened dimension, whose middle was left out, into those of the whole
 * one. `done` is false, and the pieces must not be used, if they are computed, too many, or would
 * have to be cut.
 */
sct_status sct_pieces_unfold(const sct_dimension *whole, sct_fold fold, sct_pieces *pieces,
                             bool *done);

/* Keeps pointers to the axes of the dimension without owning them. */
sct_status sct_pieces_create(const sct_dimension *dimension, sct_pieces *pieces);
void sct_pieces_clear(sct_pieces *pieces);
/* Writes out a list that is short enough, so that reading a piece takes no search. On failure the
 * list is cleared. */
sct_status sct_pieces_store_few(sct_pieces *pieces);
/* Reads piece `index`. The reader may have been used with another list. */
void sct_pieces_read(const sct_pieces *pieces, int64_t index, sct_reader *reader, sct_piece *piece);

/* The number of spans that are listed. */
static inline int64_t sct_spans_listed(const sct_spans *spans) {
    return spans->repeat ? spans->count - spans->repeat->times * spans->repeat->length
                         : spans->count;
}

static inline sct_span sct_spans_item(const sct_spans *spans, int64_t item) {
    return spans->all ? spans->all[item] : spans->first;
}

/* How often a listed span occurs. */
static inline int64_t sct_spans_times(const sct_spans *spans, int64_t item) {
    const sct_repeat *repeat = spans->repeat;
    bool repeats = repeat && item >= repeat->first && item < repeat->first + repeat->length;
    return repeats ? repeat->times + 1 : 1;
}

/* Span `index` of all. */
static inline sct_span sct_spans_get(const sct_spans *spans, int64_t index) {
    const sct_repeat *repeat = spans->repeat;
    if (!repeat || index < repeat->first)
        return sct_spans_item(spans, index);
    int64_t turn = (index - repeat->first) / repeat->length;
    turn = turn < repeat->times ? turn : repeat->times;
    sct_span span = sct_spans_item(spans, index - turn * repeat->length);
    span.at += turn * repeat->shift;
    return span;
}

/* True if two spans begin at one place. */
static inline bool sct_span_same_place(const sct_span *x, const sct_span *y) {
    return x->at == y->at && x->coord == y->coord;
}

#endif
