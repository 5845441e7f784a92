/* sectile_tiles.h - what an algorithm of one's own needs: tiles to look at, to get and to
 * accumulate, and the local product. sectile.h includes it. */
#ifndef SECTILE_TILES_H
#define SECTILE_TILES_H

#include <sectile/sectile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A replica index: the one where this rank is at home. */
#define SCT_HERE (-1)

typedef struct sct_tile {
    int64_t row, col;
} sct_tile;

/* The number of blocks of rows and of columns. */
SCT_API sct_tile sct_matrix_grid_shape(const sct_matrix *matrix);
SCT_API sct_status sct_matrix_tile_bounds(const sct_matrix *matrix, sct_tile tile,
                                          sct_slice *bounds);
/* The tiles that meet a slice: they are a slice of the tile grid. */
SCT_API sct_status sct_matrix_overlapping_tiles(const sct_matrix *matrix, sct_slice slice,
                                                sct_slice *tiles);
SCT_API sct_status sct_matrix_tile_owner(const sct_matrix *matrix, sct_tile tile, int replica,
                                         int *rank);
/* The replica where this rank is at home: where it looks for what it does not own, too. */
SCT_API int sct_matrix_my_replica(const sct_matrix *matrix);
/* The tile itself; SCT_UNREACHABLE if its owner's memory cannot be pointed to. */
SCT_API sct_status sct_matrix_tile(const sct_matrix *matrix, sct_tile tile, int replica,
                                   sct_block *block);
/* Copies a tile into memory of one's own, which has the tile's shape and the matrix's order. */
SCT_API sct_status sct_matrix_get_tile(sct_matrix *matrix, sct_tile tile, int replica,
                                       const sct_block *to);
typedef struct sct_request {
    sct_world *world;
    uint64_t ticket;
} sct_request;
SCT_API sct_status sct_matrix_get_tile_async(sct_matrix *matrix, sct_tile tile, int replica,
                                             const sct_block *to, sct_request *request);
SCT_API sct_status sct_wait(sct_request request);
/* Adds a block to a tile; atomic for each element with respect to other accumulates. Not for f16
 * and bf16, which are rounded once and so not added up. */
SCT_API sct_status sct_matrix_accumulate_tile(sct_matrix *matrix, sct_tile tile, int replica,
                                              const sct_block *from);
/* Collective. Every replica becomes that of `origin`. */
SCT_API sct_status sct_matrix_broadcast_replica(sct_matrix *matrix, int origin);
/* Collective. The sum of all replicas goes to that of `origin`; the others keep what they had.
 * Not for f16 and bf16. */
SCT_API sct_status sct_matrix_reduce_replicas(sct_matrix *matrix, int origin);
/* c = alpha op(a) op(b) + beta c on this rank alone. alpha and beta are of sct_type_sum(type). */
SCT_API sct_status sct_gemm_local(sct_type type, sct_op op_a, sct_op op_b, const void *alpha,
                                  const sct_block *a, const sct_block *b, const void *beta,
                                  const sct_block *c);

#ifdef __cplusplus
}
#endif

#endif
