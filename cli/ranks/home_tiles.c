/* home_tiles.c - the tiles that a rank owns in its home replica. */
#include "ranks/home_tiles.h"

#include <stddef.h>

/* block->data stays NULL if another rank owns the tile. */
static sct_status own_tile(const sct_world *world, const sct_matrix *matrix, sct_tile tile,
                           sct_slice *bounds, sct_block *block) {
    int replica = sct_matrix_my_replica(matrix);
    int owner;
    *block = (sct_block){.data = NULL};
    sct_status status = sct_matrix_tile_owner(matrix, tile, replica, &owner);
    if (status == SCT_OK && owner == sct_world_rank(world)) {
        status = sct_matrix_tile_bounds(matrix, tile, bounds);
        if (status == SCT_OK)
            status = sct_matrix_tile(matrix, tile, replica, block);
    }
    return status;
}

sct_status tiles_visit(const sct_world *world, const sct_matrix *matrix, tiles_visitor *visit,
                       void *context) {
    sct_tile grid = sct_matrix_grid_shape(matrix);
    for (int64_t row = 0; row < grid.row; row++) {
        for (int64_t col = 0; col < grid.col; col++) {
            sct_slice bounds;
            sct_block block;
            sct_status status = own_tile(world, matrix, (sct_tile){row, col}, &bounds, &block);
            if (status != SCT_OK)
                return status;
            if (block.data)
                visit(&bounds, &block, context);
        }
    }
    return SCT_OK;
}

sct_status tiles_find(const sct_world *world, const sct_matrix *matrix, int64_t row, int64_t col,
                      sct_slice *bounds, sct_block *block) {
    sct_slice element = {{row, row + 1}, {col, col + 1}}, tiles;
    sct_status status = sct_matrix_overlapping_tiles(matrix, element, &tiles);
    if (status != SCT_OK)
        return status;
    return own_tile(world, matrix, (sct_tile){tiles.rows.lo, tiles.cols.lo}, bounds, block);
}
