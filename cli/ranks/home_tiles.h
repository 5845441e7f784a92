/* home_tiles.h - the tiles that a rank has at home. */
#ifndef CLI_RANKS_HOME_TILES_H
#define CLI_RANKS_HOME_TILES_H

#include <sectile/sectile.h>

typedef void tiles_visitor(const sct_slice *bounds, const sct_block *block, void *context);

/* Calls `visit` for each tile that this rank owns in the replica where it is at home. */
sct_status tiles_visit(const sct_world *world, const sct_matrix *matrix, tiles_visitor *visit,
                       void *context);

/* The block of this rank's element (row, col), and where the block begins; block->data is NULL if
 * the element is another rank's. */
sct_status tiles_find(const sct_world *world, const sct_matrix *matrix, int64_t row, int64_t col,
                      sct_slice *bounds, sct_block *block);

#endif
