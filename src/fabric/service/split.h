/* split.h - splits a rectangle into pieces of bounded size. */
#ifndef SCT_FABRIC_SERVICE_SPLIT_H
#define SCT_FABRIC_SERVICE_SPLIT_H

#include <sectile/sectile.h>

/* Pieces are multiples of this, or whole lines, so that no element is split. */
enum { SCT_SPLIT_GRAIN = 64 };

/* Pieces are whole lines, or parts of one line. */
typedef struct sct_split {
    int64_t lines;
    size_t width;
    int64_t piece_lines;
    size_t piece_width;
    int64_t across; /* pieces per line */
    int64_t pieces;
} sct_split;

typedef struct sct_wire_piece {
    int64_t line; /* relative to the rectangle, like `byte` */
    size_t byte;
    int64_t lines;
    size_t width;
} sct_wire_piece;

/* `lines` and `width` are at least 1, `most` at least SCT_SPLIT_GRAIN. Pieces are nearly equal. */
SCT_API sct_split sct_split_make(int64_t lines, size_t width, size_t most);
SCT_API sct_wire_piece sct_split_piece(const sct_split *cut, int64_t index);

#endif
