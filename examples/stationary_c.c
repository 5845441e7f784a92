/* stationary_c.c - a distributed product written by hand on the tile primitives.
 *
 * C stays where it is. Each rank takes the tiles of C that it stores, finds by slicing which tiles
 * of A and B meet them, gets those, and multiplies the parts that fit together: Algorithm 1 of
 * Brock and Golin, "Slicing Is All You Need" (arXiv 2510.08874). It need not know how the three
 * matrices are cut, whether the cuts fit each other, or which rank stores what. */
#include <sectile/sectile.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(sct_status status) {
    if (status == SCT_OK)
        return;
    fprintf(stderr, "stationary_c: %s: %s\n", sct_status_name(status), sct_last_reason());
    exit(1);
}

/* ---- Tiles of doubles ---- */

/* A tile's place in its matrix, and its elements. */
typedef struct piece {
    sct_slice bounds;
    sct_block block;
} piece;

static double *element(const sct_block *block, int64_t row, int64_t col) {
    bool by_rows = block->order == SCT_ROW_MAJOR;
    return (double *)block->data + (by_rows ? row * block->ld + col : col * block->ld + row);
}

/* A copy of a tile, wherever it lies; the caller frees its elements. */
static piece get(sct_matrix *matrix, sct_tile tile) {
    piece copy;
    must(sct_matrix_tile_bounds(matrix, tile, &copy.bounds));
    sct_range rows = copy.bounds.rows, cols = copy.bounds.cols;
    sct_order order = sct_layout_order(sct_matrix_layout(matrix));
    copy.block = (sct_block){.rows = rows.hi - rows.lo, .cols = cols.hi - cols.lo, .order = order};
    copy.block.ld = order == SCT_ROW_MAJOR ? copy.block.cols : copy.block.rows;
    size_t count = (size_t)(copy.block.rows * copy.block.cols);
    copy.block.data = malloc((count + 1) * sizeof(double));
    if (!copy.block.data)
        abort();
    must(sct_matrix_get_tile(matrix, tile, SCT_HERE, &copy.block));
    return copy;
}

/* A tile of this rank's own, where it lies; false if the tile is another's. */
static bool own(sct_world *world, sct_matrix *matrix, sct_tile tile, piece *mine) {
    int owner;
    must(sct_matrix_tile_owner(matrix, tile, SCT_HERE, &owner));
    if (owner != sct_world_rank(world))
        return false;
    must(sct_matrix_tile_bounds(matrix, tile, &mine->bounds));
    must(sct_matrix_tile(matrix, tile, SCT_HERE, &mine->block));
    return true;
}

/* The given rows and columns of the matrix, which the tile covers. */
static sct_block part(piece tile, sct_range rows, sct_range cols) {
    sct_block block = tile.block;
    block.data = element(&block, rows.lo - tile.bounds.rows.lo, cols.lo - tile.bounds.cols.lo);
    block.rows = rows.hi - rows.lo;
    block.cols = cols.hi - cols.lo;
    return block;
}

/* ---- The algorithm ---- */

static sct_range meet(sct_range x, sct_range y) {
    return (sct_range){x.lo > y.lo ? x.lo : y.lo, x.hi < y.hi ? x.hi : y.hi};
}

/* Multiplies what fits together of three tiles. */
static void multiply_tiles(piece a, piece b, sct_range share, piece c) {
    sct_range m = meet(c.bounds.rows, a.bounds.rows);
    sct_range k = meet(share, meet(a.bounds.cols, b.bounds.rows));
    sct_range n = meet(b.bounds.cols, c.bounds.cols);
    sct_block left = part(a, m, k), right = part(b, k, n), sum = part(c, m, n);
    double one = 1;
    must(sct_gemm_local(SCT_F64, SCT_N, SCT_N, &one, &left, &right, &one, &sum));
}

/* Adds to one tile of C all that the k of this share have for it. */
static void multiply_into(sct_matrix *a, sct_matrix *b, sct_range share, piece c) {
    sct_slice lefts, rights;
    must(sct_matrix_overlapping_tiles(a, (sct_slice){c.bounds.rows, share}, &lefts));
    for (int64_t i = lefts.rows.lo; i < lefts.rows.hi; i++)
        for (int64_t l = lefts.cols.lo; l < lefts.cols.hi; l++) {
            piece left = get(a, (sct_tile){i, l});
            sct_range k = meet(share, left.bounds.cols);
            must(sct_matrix_overlapping_tiles(b, (sct_slice){k, c.bounds.cols}, &rights));
            for (int64_t t = rights.rows.lo; t < rights.rows.hi; t++)
                for (int64_t j = rights.cols.lo; j < rights.cols.hi; j++) {
                    piece right = get(b, (sct_tile){t, j});
                    multiply_tiles(left, right, share, c);
                    free(right.block.data);
                }
            free(left.block.data);
        }
}

/* C += A B, where every replica of C but the first begins with zeros. Collective. */
static void multiply(sct_world *world, sct_matrix *a, sct_matrix *b, sct_matrix *c) {
    /* Each replica of C takes an equal share of the inner dimension. */
    int64_t k = sct_layout_cols(sct_matrix_layout(a));
    int replica = sct_matrix_my_replica(c), replicas = sct_layout_replicas(sct_matrix_layout(c));
    sct_range share = {k * replica / replicas, k * (replica + 1) / replicas};
    sct_tile tiles = sct_matrix_grid_shape(c);
    piece mine;
    must(sct_world_barrier(world)); /* A and B are there */
    for (int64_t i = 0; i < tiles.row; i++)
        for (int64_t j = 0; j < tiles.col; j++)
            if (own(world, c, (sct_tile){i, j}, &mine))
                multiply_into(a, b, share, mine);
    must(sct_matrix_reduce_replicas(c, 0));
    must(sct_matrix_broadcast_replica(c, 0));
}

/* ---- The check, against the library's own product ---- */

enum { RANKS = 4, M = 37, N = 41, K = 43 };

typedef double function(int64_t row, int64_t col);

static double of_a(int64_t row, int64_t col) {
    return (double)((3 * row + 5 * col) % 11 - 5);
}

static double of_b(int64_t row, int64_t col) {
    return (double)((7 * row + 2 * col) % 13 - 6);
}

static double zero(int64_t row, int64_t col) {
    (void)row;
    (void)col;
    return 0;
}
