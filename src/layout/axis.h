/* axis.h - the arithmetic of one dimension: how n indices are cut into blocks, and which grid
 * coordinate owns each block.
 *
 * The indices that one coordinate owns, in ascending order, are its class. The position of an index
 * in its owner's class is where it is stored. Blocks are either of equal size and dealt round, from
 * a source coordinate and with an optional shorter first block; or cut at arbitrary places with an
 * owner each. */
#ifndef SCT_LAYOUT_AXIS_H
#define SCT_LAYOUT_AXIS_H

#include <sectile/sectile.h>
#include <stdbool.h>

static inline int64_t sct_range_length(sct_range range) {
    return range.hi - range.lo;
}

typedef struct sct_axis {
    int64_t extent, blocks;
    int coords;
    /* Blocks dealt round. */
    int64_t block, first;
    int source;
    /* Explicit cuts; all NULL when dealt round. bounds has one entry more than there are blocks. */
    int64_t *bounds;
    int *owners;
    int64_t *positions; /* position of each block's first index in its owner's class */
    int64_t *sizes;     /* size of each coordinate's class */
    bool in_order;      /* with cuts: block b belongs to coordinate b */
} sct_axis;

/* first == 0: a whole block. `name` ("rows") appears in error messages. */
sct_status sct_axis_deal(const char *name, int64_t extent, int64_t block, int64_t first, int source,
                         int coords, sct_axis *axis);
/* owners == NULL: block b belongs to coordinate b, and coords is ignored. */
sct_status sct_axis_cut(const char *name, int64_t extent, const sct_cuts *cuts, const int *owners,
                        int coords, sct_axis *axis);
bool sct_axis_equal(const sct_axis *x, const sct_axis *y);
void sct_axis_clear(sct_axis *axis);

/* The block of index i < extent. */
int64_t sct_axis_block(const sct_axis *axis, int64_t i);
sct_range sct_axis_bounds(const sct_axis *axis, int64_t block);
int sct_axis_owner(const sct_axis *axis, int64_t block);
/* The position of the block's first index in its owner's class. */
int64_t sct_axis_position(const sct_axis *axis, int64_t block);
/* The first block from `block` on that coord owns; the number of blocks if none. */
int64_t sct_axis_seek(const sct_axis *axis, int coord, int64_t block);
/* The number of coord's indices below i. With i = extent: the size of its class. */
int64_t sct_axis_below(const sct_axis *axis, int coord, int64_t i);
int64_t sct_axis_class_size(const sct_axis *axis, int coord);
int64_t sct_axis_largest_class(const sct_axis *axis);

#endif
