/* dimension.h - one dimension of a product, in which two matrices meet: A and C in m, A and B in k,
 * B and C in n.
 *
 * A stretch is a maximal run of indices within one block of either matrix. Stretches are not
 * stored; a cursor finds one after another. */
#ifndef SCT_LAYOUT_DIMENSION_H
#define SCT_LAYOUT_DIMENSION_H

#include "layout/axis.h"

#include <stdbool.h>

typedef enum sct_cutting {
    SCT_CUT_CLASSES, /* one piece for each pair of owners */
    SCT_CUT_TILES,   /* one piece for each pair of blocks */
    SCT_CUT_RUNS     /* like classes, but each piece is one span on both sides */
} sct_cutting;

/* The indices that one coordinate of an axis owns. */
typedef struct sct_class {
    const sct_axis *axis;
    int64_t offset; /* axis index of dimension index 0 */
    int coord;
} sct_class;

typedef struct sct_dimension {
    const sct_axis *axis[2];
    int64_t offset[2];     /* axis index of dimension index 0 */
    sct_class only;        /* only these indices; no axis: all */
    sct_range range;       /* only these indices */
    bool ignore_owners[2]; /* with classes: ignore owners on this side */
    sct_cutting cutting;
    int64_t most; /* maximum of indices in a piece; 0: no limit */
} sct_dimension;

typedef struct sct_stretch {
    sct_range range;
    int64_t at[2]; /* position of its first index in the class of the coordinate */
    int coord[2];
    int group[2]; /* coordinates that separate pieces */
} sct_stretch;

typedef struct sct_cursor {
    int64_t block;  /* current block of the leading axis: that of the class, or else of side 0 */
    sct_range rest; /* rest of that block */
} sct_cursor;

/* Starts at `index`, possibly in the middle of a stretch. */
void sct_cursor_set(const sct_dimension *dimension, int64_t index, sct_cursor *cursor);
/* The next stretch; false at the end. */
bool sct_cursor_next(const sct_dimension *dimension, sct_cursor *cursor, sct_stretch *stretch);

/* The beginning of the range, or all of it, which has as many sets of pieces as the whole, with
 * several spans and different owners on the same sides. */
sct_range sct_dimension_typical(const sct_dimension *dimension);

/* Leaves out the middle of a dimension whose owners repeat very often: so many periods of so many
 * indices, behind the first two. `times` is 0 if nothing is left out. */
typedef struct sct_fold {
    int64_t period, times;
} sct_fold;
sct_fold sct_dimension_fold(const sct_dimension *dimension, sct_dimension *shorter);

/* The number of indices of a class in a range. */
int64_t sct_class_size(const sct_class *class, sct_range range);
/* The number of indices in the range that belong to coordinate x of the first axis and y of the
 * second. */
int64_t sct_dimension_common(const sct_dimension *dimension, int x, int y);

typedef struct sct_stretches {
    int64_t count, room;
    sct_stretch *list;
} sct_stretches;

/* Orders by groups, then by indices. */
int sct_stretch_compare(const sct_stretch *l, const sct_stretch *r);

/* Collects all stretches in order of their indices. */
sct_status sct_stretches_collect(const sct_dimension *d, sct_stretches *all);
/* Sorts by groups; stretches of the same groups keep their order. */
sct_status sct_stretches_sort(const sct_dimension *d, sct_stretches *all);

#endif
