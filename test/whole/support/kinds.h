/* kinds.h - texts of random layouts, one kind at a time. */
#ifndef TEST_KINDS_H
#define TEST_KINDS_H

#include <stddef.h>
#include <stdint.h>

typedef enum layout_kind {
    KIND_ROW,
    KIND_COL,
    KIND_2D,
    KIND_CYCLIC,        /* small blocks */
    KIND_CYCLIC_SOURCE, /* with a source and a short first block */
    KIND_CYCLIC_LARGE,  /* blocks up to larger than the matrix, on any grid */
    KIND_CUTS,          /* with a grid; blocks may be empty, coordinates may own nothing */
    KIND_TILES,         /* with any owners */
    KIND_ONE,           /* all on one rank */
    KIND_FEWER,         /* one rank less than there are */
    KIND_2D_MAPPED,     /* on any ranks of the world */
    KIND_CYCLIC_MAPPED,
    KIND_COL_MAPPED,
    KIND_CUTS_MAPPED,
    KINDS
} layout_kind;

typedef struct kind_wish {
    layout_kind kind;
    int64_t rows, cols;
    int ranks; /* of the world */
    int copies;
    int by_cols; /* stored column-major */
} kind_wish;

enum { KIND_COPIES = 5 };

/* Copies that a kind can have: 1, about 2, 3 and half of the ranks, and all, by `level`. */
int kind_copies(layout_kind kind, int ranks, int level);

/* A layout for a world of so many ranks; copies must not be more than there are. */
void kind_text(const kind_wish *wish, uint64_t *random, char *to, size_t bytes);

#endif
