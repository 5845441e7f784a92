/* dimension.h - one dimension of a product, in which two matrices meet: A and C in m, A and B in k,
 * B and C in n.
 *
 * It is made of stretches: neighbouring indices that lie in one block of either matrix. They are
 * not stored; a cursor finds one after another. */
#ifndef SCT_LAYOUT_DIMENSION_H
#define SCT_LAYOUT_DIMENSION_H

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

typedef struct sct_stretch {
    sct_range range;
    int64_t at[2]; /* of its first index in the class of the coordinate */
    int coord[2];
    int group[2]; /* the coordinates, where they part pieces */
} sct_stretch;

typedef struct sct_cursor {
    int64_t block;  /* of the side that leads: the one with a coordinate that alone counts */
    sct_range rest; /* what of the block is still to come */
} sct_cursor;

/* The stretches from `index` on; the first one may be the end of a longer one. */
void sct_cursor_set(const sct_dimension *dimension, int64_t index, sct_cursor *cursor);
/* The next stretch, if there is one. */
bool sct_cursor_next(const sct_dimension *dimension, sct_cursor *cursor, sct_stretch *stretch);

/* How many indices of the range belong to coordinate x of the first axis and y of the second. */
int64_t sct_dimension_common(const sct_dimension *dimension, int x, int y);

#endif
