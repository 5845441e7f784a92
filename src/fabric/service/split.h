/* split.h - how a rectangle is cut into pieces of a bounded number of bytes. */
#ifndef SCT_FABRIC_SERVICE_SPLIT_H
#define SCT_FABRIC_SERVICE_SPLIT_H

#include <sectile/sectile.h>

/* The bytes of a piece are a multiple of it, or all of a line: no element is cut in two. */
enum { SCT_CUT_GRAIN = 64 };

/* Pieces are whole lines, or parts of one line. */
typedef struct sct_cut {
    int64_t lines;
    size_t width;
    int64_t piece_lines;
    size_t piece_width;
    int64_t across; /* pieces in a line */
    int64_t pieces;
} sct_cut;

typedef struct sct_piece {
    int64_t line; /* within the rectangle, as is `byte` */
    size_t byte;
    int64_t lines;
    size_t width;
} sct_piece;

/* `lines` and `width` are at least 1, `most` at least SCT_CUT_GRAIN. Pieces differ little. */
SCT_API sct_cut sct_cut_make(int64_t lines, size_t width, size_t most);
SCT_API sct_piece sct_cut_piece(const sct_cut *cut, int64_t index);

#endif
