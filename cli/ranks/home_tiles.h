/* home_tiles.h - the tiles that a rank owns in its home replica. */
#ifndef CLI_RANKS_HOME_TILES_H
#define CLI_RANKS_HOME_TILES_H

#include <sectile/sectile.h>

typedef void tiles_visitor(const sct_slice *bounds, const sct_block *block, void *context);

/* Calls `visit` for each of these tiles, with its bounds in the matrix and its block in memory. */
sct_status tiles_visit(const sct_world *world, const sct_matrix *matrix, tiles_visitor *visit,
                       void *context);

/* Finds the tile of element (row, col). block->data is NULL if another rank owns it. */
sct_status tiles_find(const sct_world *world, const sct_matrix *matrix, int64_t row, int64_t col,
                      sct_slice *bounds, sct_block *block);

#endif
