/* home_tiles.c - the tiles that a rank owns in its home replica; those on a device by way of a
 * copy.
 */
#include "ranks/home_tiles.h"

#include <stdlib.h>

/* A dense block of memory of the host, of the shape of a tile. */
static sct_status make_copy(const sct_matrix *matrix, const sct_block *tile, sct_block *copy) {
    *copy = *tile;
    copy->ld = tile->order == SCT_ROW_MAJOR ? tile->cols : tile->rows;
    copy->data = calloc((size_t)tile->rows * (size_t)tile->cols + 1,
                        sct_type_bytes(sct_matrix_type(matrix)));
    return copy->data ? SCT_OK : SCT_NO_MEMORY;
}

static sct_status visit_copy(sct_matrix *matrix, sct_tile tile, enum tiles_use use,
                             const sct_slice *bounds, const sct_block *block, tiles_visitor *visit,
                             void *context) {
    sct_block copy;
    sct_status status = make_copy(matrix, block, &copy);
    if (status == SCT_OK && use == TILES_READ)
        status = sct_matrix_get_tile(matrix, tile, SCT_HERE, &copy);
    if (status == SCT_OK)
        visit(bounds, &copy, context);
    if (status == SCT_OK && use == TILES_WRITE)
        status = sct_matrix_put_tile(matrix, tile, SCT_HERE, &copy);
    free(copy.data);
    return status;
}

/* Visits a tile, unless another rank owns it. */
static sct_status visit_own(const sct_world *world, sct_matrix *matrix, sct_tile tile,
                            enum tiles_use use, tiles_visitor *visit, void *context) {
    int owner;
    sct_slice bounds;
    sct_block block = {.data = NULL};
    sct_status status = sct_matrix_tile_owner(matrix, tile, SCT_HERE, &owner);
    if (status != SCT_OK || owner != sct_world_rank(world))
        return status;
    status = sct_matrix_tile_bounds(matrix, tile, &bounds);
    if (status == SCT_OK)
        status = sct_matrix_tile(matrix, tile, SCT_HERE, &block);
    if (status != SCT_OK || !block.data)
        return status;
    if (sct_matrix_space(matrix) == SCT_SPACE_DEVICE)
        return visit_copy(matrix, tile, use, &bounds, &block, visit, context);
    visit(&bounds, &block, context);
    return SCT_OK;
}

sct_status tiles_visit(const sct_world *world, sct_matrix *matrix, enum tiles_use use,
                       tiles_visitor *visit, void *context) {
    sct_tile grid = sct_matrix_grid_shape(matrix);
    sct_status status = SCT_OK;
    for (int64_t row = 0; row < grid.row && status == SCT_OK; row++)
        for (int64_t col = 0; col < grid.col && status == SCT_OK; col++)
            status = visit_own(world, matrix, (sct_tile){row, col}, use, visit, context);
    return status;
}

sct_status tiles_find(const sct_world *world, sct_matrix *matrix, int64_t row, int64_t col,
                      tiles_visitor *visit, void *context) {
    sct_slice element = {{row, row + 1}, {col, col + 1}}, tiles;
    sct_status status = sct_matrix_overlapping_tiles(matrix, element, &tiles);
    if (status != SCT_OK)
        return status;
    return visit_own(world, matrix, (sct_tile){tiles.rows.lo, tiles.cols.lo}, TILES_READ, visit,
                     context);
}
