/* rectangle.h - blocks of memory, rectangles in them, and pieces of bounded size of a rectangle. */
#ifndef SCT_BASE_RECTANGLE_H
#define SCT_BASE_RECTANGLE_H

#include <sectile/sectile.h>

#include <stdbool.h>
#include <stddef.h>

/* A strided block: `lines` lines of `width` bytes, `pitch` bytes apart. */
typedef struct sct_memory {
    char *base;
    size_t pitch;
    int64_t lines;
    size_t width;
} sct_memory;

/* A rectangle of a block, or of a larger rectangle: lines [line, line + lines) and in each of them
 * `width` bytes from byte `byte` on. */
typedef struct sct_rectangle {
    int64_t line;
    size_t byte;
    int64_t lines;
    size_t width;
} sct_rectangle;

static inline bool sct_rectangle_is_empty(const sct_rectangle *rectangle) {
    return rectangle->lines == 0 || rectangle->width == 0;
}

/* The distance in bytes from the beginning of a block to that of a rectangle. */
static inline size_t sct_rectangle_offset(const sct_rectangle *rectangle, size_t pitch) {
    return (size_t)rectangle->line * pitch + rectangle->byte;
}

/* A rectangle of `outer` as one of the block that `outer` is in. */
static inline sct_rectangle sct_rectangle_inside(const sct_rectangle *outer,
                                                 const sct_rectangle *inner) {
    return (sct_rectangle){outer->line + inner->line, outer->byte + inner->byte, inner->lines,
                           inner->width};
}

/* A multiple of the size of any element. */
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

/* Splits a rectangle into nearly equal pieces of at most `most` bytes, whose widths are multiples
 * of `grain` or whole lines. `lines` and `width` are at least 1, `most` is at least `grain`. */
SCT_API sct_split sct_split_make(int64_t lines, size_t width, size_t most, size_t grain);
SCT_API sct_rectangle sct_split_piece(const sct_split *cut, int64_t index);

#endif
