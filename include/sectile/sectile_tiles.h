/* sectile_tiles.h - what you need to write an algorithm of your own: look tiles up, get them,
 * accumulate into them, and multiply locally. sectile.h includes this file. */
#ifndef SECTILE_TILES_H
#define SECTILE_TILES_H

#include <sectile/sectile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Passed as `replica`: this rank's home replica. */
#define SCT_HERE (-1)

/* A tile by the numbers, from 0, of its block of rows and its block of columns. */
typedef struct sct_tile {
    int64_t row, col;
} sct_tile;

/* Returns the number of blocks of rows and of columns. No errors. Not collective. */
SCT_API sct_tile sct_matrix_grid_shape(const sct_matrix *matrix);
/* Writes the rows and columns of a tile. Errors: SCT_BAD_ARGUMENT if there is no such tile. Not
 * collective. */
SCT_API sct_status sct_matrix_tile_bounds(const sct_matrix *matrix, sct_tile tile,
                                          sct_slice *bounds);
/* Writes which tiles have elements in a slice: `tiles` are ranges of tile numbers, not of elements.
 * Errors: SCT_BAD_ARGUMENT if the slice is not within the matrix. Not collective. */
SCT_API sct_status sct_matrix_overlapping_tiles(const sct_matrix *matrix, sct_slice slice,
                                                sct_slice *tiles);
/* Writes the rank that stores a tile in a replica. Errors: SCT_BAD_ARGUMENT if there is no such
 * tile or replica. Not collective. */
SCT_API sct_status sct_matrix_tile_owner(const sct_matrix *matrix, sct_tile tile, int replica,
                                         int *rank);
/* Returns this rank's home replica (see sct_layout_home). No errors. Not collective. */
SCT_API int sct_matrix_my_replica(const sct_matrix *matrix);
/* Where elements are: in host memory, or in device memory, whose addresses the host cannot
 * dereference. */
typedef enum sct_space { SCT_SPACE_HOST, SCT_SPACE_DEVICE } sct_space;
/* Returns where this rank's part of a matrix is. No errors. Not collective. */
SCT_API sct_space sct_matrix_space(const sct_matrix *matrix);
/* Writes where a tile is in memory. Errors: as sct_matrix_tile_owner; SCT_BAD_ARGUMENT also if its
 * owner wrapped NULL; SCT_UNREACHABLE if its owner is far. Not collective. */
SCT_API sct_status sct_matrix_tile(const sct_matrix *matrix, sct_tile tile, int replica,
                                   sct_block *block);
/* Describes the memory that this rank stores, as sct_matrix_wrap_blocks takes it: writes the first
 * `most` blocks, and the number of all. Errors: SCT_BAD_ARGUMENT. Not collective. */
SCT_API sct_status sct_matrix_blocks(const sct_matrix *matrix, int most, sct_block *blocks,
                                     int *count);
/* Copies a tile into a block of the same shape and storage order, and returns when it is there.
 * Here and in the next functions, a block is in host memory or in memory of this rank's device.
 * Errors: as sct_matrix_tile_owner; SCT_BAD_ARGUMENT also if the block does not fit or the owner
 * wrapped NULL; SCT_FAILED or SCT_DISAGREE if the world is broken. Not collective. */
SCT_API sct_status sct_matrix_get_tile(sct_matrix *matrix, sct_tile tile, int replica,
                                       const sct_block *to);
/* A get or an accumulate in flight. Wait for it before the matrix is destroyed. */
typedef struct sct_request {
    sct_world *world;
    const void *kind;
    void *of;
    uint64_t number;
} sct_request;
/* Starts the same without waiting: the block belongs to the get until sct_wait returns. Errors: as
 * sct_matrix_get_tile. Not collective. */
SCT_API sct_status sct_matrix_get_tile_async(sct_matrix *matrix, sct_tile tile, int replica,
                                             const sct_block *to, sct_request *request);
/* Waits for one to complete. Errors: SCT_FAILED if it failed. Not collective. */
SCT_API sct_status sct_wait(sct_request request);
/* Copies a block into a tile of this rank, and returns when it is there. Errors: as
 * sct_matrix_get_tile; SCT_UNREACHABLE if another rank stores the tile. Not collective. */
SCT_API sct_status sct_matrix_put_tile(sct_matrix *matrix, sct_tile tile, int replica,
                                       const sct_block *from);
/* Adds a block to a tile, and returns when the tile has been changed. Each element is added
 * atomically with respect to other accumulates. Errors: as sct_matrix_get_tile; SCT_BAD_ARGUMENT
 * also for f16 and bf16, whose sums are kept in f32. Not collective. */
SCT_API sct_status sct_matrix_accumulate_tile(sct_matrix *matrix, sct_tile tile, int replica,
                                              const sct_block *from);
/* Starts the same without waiting: the block may not change until sct_wait returns. Errors: as
 * sct_matrix_accumulate_tile. Not collective. */
SCT_API sct_status sct_matrix_accumulate_tile_async(sct_matrix *matrix, sct_tile tile, int replica,
                                                    const sct_block *from, sct_request *request);
/* Copies replica `origin` into all others. Errors: SCT_BAD_ARGUMENT if there is no such replica, or
 * a rank wrapped NULL. Collective. */
SCT_API sct_status sct_matrix_broadcast_replica(sct_matrix *matrix, int origin);
/* Adds all other replicas to replica `origin`, and leaves them as they are. Errors: as
 * sct_matrix_broadcast_replica; SCT_BAD_ARGUMENT also for f16 and bf16. Collective. */
SCT_API sct_status sct_matrix_reduce_replicas(sct_matrix *matrix, int origin);
/* Gathers `bytes` bytes of every rank, in rank order, in `all` of every rank. `mine` must not lie
 * within `all`; all ranks pass equally many bytes. Errors: the usual ones. Collective. */
SCT_API sct_status sct_world_gather(sct_world *world, const void *mine, size_t bytes, void *all);
/* Returns the status of the lowest rank that passes a failure, with its reason, on all ranks;
 * SCT_OK if none does. A rank that cannot call a collective function, because it lacks an argument,
 * can call this one instead: the function then fails on the other ranks. That holds for functions
 * that make or copy a matrix, multiply, gather, or make or start a job. said: the reason of a
 * failure; with SCT_OK, a name for the check, the same on all ranks. It may be NULL. Errors: the
 * usual ones, and what a rank passes. Collective. */
SCT_API sct_status sct_world_check(sct_world *world, sct_status status, const char *said);
/* Computes c = alpha op(a) op(b) + beta c on this rank alone, on the host, whose memory all
 * blocks are in. alpha and beta are of sct_type_sum(type). Errors: SCT_BAD_ARGUMENT if shapes do
 * not fit together, or a leading dimension is too small. Not collective. */
SCT_API sct_status sct_gemm_local(sct_type type, sct_op op_a, sct_op op_b, const void *alpha,
                                  const sct_block *a, const sct_block *b, const void *beta,
                                  const sct_block *c);
/* Returns whether the device of this rank multiplies elements of a type as they are: all but f16
 * and bf16, and these with the engine cuda. No errors. Not collective. */
SCT_API int sct_world_multiplies(const sct_world *world, sct_type type);
/* Like sct_gemm_local, but on this rank's device, and returns when c has been computed. All blocks
 * are in memory of the device, and have the same storage order. The elements of c are of the type
 * sct_type_sum(type). Errors: as sct_gemm_local; SCT_BAD_ARGUMENT also for memory that the device
 * cannot use, for different storage orders, or for a type that the device does not multiply;
 * SCT_FAILED if the device fails. Not collective. */
SCT_API sct_status sct_world_gemm(sct_world *world, sct_type type, sct_op op_a, sct_op op_b,
                                  const void *alpha, const sct_block *a, const sct_block *b,
                                  const void *beta, const sct_block *c);

#ifdef __cplusplus
}
#endif

#endif
