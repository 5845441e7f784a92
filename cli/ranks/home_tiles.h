/* home_tiles.h - the tiles that a rank owns in its home replica. */
#ifndef CLI_RANKS_HOME_TILES_H
#define CLI_RANKS_HOME_TILES_H

#include <sectile/sectile.h>

/* What a visitor does with a tile. Only what it says is copied from or to a device. */
enum tiles_use { TILES_READ, TILES_WRITE };

/* The block is in memory of the host. */
typedef void tiles_visitor(const sct_slice *bounds, const sct_block *block, void *context);

/* Calls `visit` for each of these tiles, with its bounds in the matrix and its block in memory. A
 * visitor that writes writes all elements, or only some that matter. */
sct_status tiles_visit(const sct_world *world, sct_matrix *matrix, enum tiles_use use,
                       tiles_visitor *visit, void *context);

/* The same for the tile of element (row, col), to be read, if this rank owns it. */
sct_status tiles_find(const sct_world *world, sct_matrix *matrix, int64_t row, int64_t col,
                      tiles_visitor *visit, void *context);

#endif
