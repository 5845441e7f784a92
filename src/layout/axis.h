/* axis.h - the arithmetic of one dimension: how n indices are cut into blocks, and which grid
 * coordinate owns each block.
 *
 * The indices that one coordinate owns, in ascending order, are its class; an index has a position
 * in the class of its owner, which is where it is stored. Blocks are either equal and dealt round,
 * from a source coordinate on and perhaps with a shorter first block, or cut at chosen places with
 * an owner for each. */
#ifndef SCT_LAYOUT_AXIS_H
#define SCT_LAYOUT_AXIS_H

#include <sectile/sectile.h>
#include <stdbool.h>

typedef struct sct_axis {
    int64_t extent, blocks;
    int coords;
    /* Dealt round. */
    int64_t block, first;
    int source;
    /* Cut at chosen places; all NULL when dealt round. Bounds has one entry more than there are
     * blocks. */
    int64_t *bounds;
    int *owners;
    int64_t *positions; /* of each block's first index in its owner's class */
    int64_t *sizes;     /* of each coordinate's class */
} sct_axis;

/* first == 0: a whole block. `name` ("rows") is for the reason of a failure. */
sct_status sct_axis_deal(const char *name, int64_t extent, int64_t block, int64_t first, int source,
                         int coords, sct_axis *axis);
/* owners == NULL: block b belongs to coordinate b, and coords is not used. */
sct_status sct_axis_cut(const char *name, int64_t extent, const sct_cuts *cuts, const int *owners,
                        int coords, sct_axis *axis);
sct_status sct_axis_clone(const sct_axis *axis, sct_axis *clone);
bool sct_axis_equal(const sct_axis *x, const sct_axis *y);
void sct_axis_clear(sct_axis *axis);

/* The block of index i, which is below the extent. */
int64_t sct_axis_block(const sct_axis *axis, int64_t i);
sct_range sct_axis_bounds(const sct_axis *axis, int64_t block);
int sct_axis_owner(const sct_axis *axis, int64_t block);
/* Where the block's first index lies in its owner's class. */
int64_t sct_axis_position(const sct_axis *axis, int64_t block);
/* The first block from `block` on that coord owns; the number of blocks if there is none. */
int64_t sct_axis_seek(const sct_axis *axis, int coord, int64_t block);
/* How many of coord's indices are below i; with i the extent: the size of its class. */
int64_t sct_axis_below(const sct_axis *axis, int coord, int64_t i);
int64_t sct_axis_class_size(const sct_axis *axis, int coord);

#endif
