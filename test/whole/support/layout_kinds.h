/* layout_kinds.h - random layout texts of a chosen kind. */
#ifndef TEST_LAYOUT_KINDS_H
#define TEST_LAYOUT_KINDS_H

#include <stddef.h>
#include <stdint.h>

typedef enum layout_kind {
    KIND_ROW,
    KIND_COL,
    KIND_2D,
    KIND_CYCLIC,        /* small blocks */
    KIND_CYCLIC_SOURCE, /* with a source and a short first block */
    KIND_CYCLIC_LARGE,  /* blocks up to larger than the matrix, on any grid */
    KIND_CUTS,          /* on a grid; blocks may be empty, and grid coordinates may own nothing */
    KIND_TILES,         /* any owner for each tile */
    KIND_ONE,           /* everything on one rank */
    KIND_FEWER,         /* on all ranks but one */
    KIND_2D_MAPPED,     /* on any ranks of the world, like those below */
    KIND_CYCLIC_MAPPED,
    KIND_COL_MAPPED,
    KIND_CUTS_MAPPED,
    KINDS
} layout_kind;

typedef struct layout_spec {
    layout_kind kind;
    int64_t rows, cols;
    int ranks; /* of the world */
    int copies;
    int by_cols; /* stored column-major */
} layout_spec;

enum { KIND_COPIES = 5 };

/* The number of copies for `level` 0 to 4: 1, 2, 3, half of the ranks, all; raised where the kind
 * needs a divisor of the ranks, and at most the number of ranks. */
int layout_kind_copies(layout_kind kind, int ranks, int level);

/* Writes a random layout text of this kind. There must not be more copies than ranks. */
void layout_spec_text(const layout_spec *spec, uint64_t *random, char *to, size_t bytes);

#endif
