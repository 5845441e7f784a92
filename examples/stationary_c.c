/* stationary_c.c - a distributed product written by hand on the tile primitives.
 *
 * C is stationary. For each tile of C that it stores, a rank finds the tiles of A and B that meet
 * it, gets them, and multiplies the parts that match: Algorithm 1 of Brock and Golin, "Slicing Is
 * All You Need" (arXiv 2510.08874). The algorithm is the same for all layouts. */
#include <sectile/sectile.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void must(sct_status status) {
    if (status == SCT_OK)
        return;
    fprintf(stderr, "stationary_c: %s: %s\n", sct_status_name(status), sct_last_reason());
    exit(1);
}

/* ---- Tiles of doubles ---- */

/* The rows and columns of a tile, and its elements. */
typedef struct piece {
    sct_slice bounds;
    sct_block block;
} piece;

static double *element(const sct_block *block, int64_t row, int64_t col) {
    bool by_rows = block->order == SCT_ROW_MAJOR;
    return (double *)block->data + (by_rows ? row * block->ld + col : col * block->ld + row);
}

/* Gets a copy of a tile from any rank. The caller frees its elements. */
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

/* Points to a tile of this rank, in place. Returns false if the tile belongs to another rank. */
static bool own(sct_world *world, sct_matrix *matrix, sct_tile tile, piece *mine) {
    int owner;
    must(sct_matrix_tile_owner(matrix, tile, SCT_HERE, &owner));
    if (owner != sct_world_rank(world))
        return false;
    must(sct_matrix_tile_bounds(matrix, tile, &mine->bounds));
    must(sct_matrix_tile(matrix, tile, SCT_HERE, &mine->block));
    return true;
}

/* The part of a tile within these rows and columns of the matrix, which the tile must contain. */
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

/* Adds to a tile of C the product of the matching parts of a tile of A, columns `inner` of the
 * matrix only, and of a tile of B. */
static void multiply_tiles(piece a, piece b, piece c, sct_range inner) {
    sct_range m = meet(c.bounds.rows, a.bounds.rows);
    sct_range k = meet(inner, b.bounds.rows);
    sct_range n = meet(b.bounds.cols, c.bounds.cols);
    sct_block left = part(a, m, k), right = part(b, k, n), sum = part(c, m, n);
    double one = 1;
    must(sct_gemm_local(SCT_F64, SCT_N, SCT_N, &one, &left, &right, &one, &sum));
}

/* Adds to a tile of C all products whose inner index is within `share`. */
static void multiply_into(sct_matrix *a, sct_matrix *b, piece c, sct_range share) {
    sct_slice lefts, rights;
    must(sct_matrix_overlapping_tiles(a, (sct_slice){c.bounds.rows, share}, &lefts));
    for (int64_t i = lefts.rows.lo; i < lefts.rows.hi; i++)
        for (int64_t l = lefts.cols.lo; l < lefts.cols.hi; l++) {
            piece left = get(a, (sct_tile){i, l});
            sct_range inner = meet(share, left.bounds.cols);
            must(sct_matrix_overlapping_tiles(b, (sct_slice){inner, c.bounds.cols}, &rights));
            for (int64_t t = rights.rows.lo; t < rights.rows.hi; t++)
                for (int64_t j = rights.cols.lo; j < rights.cols.hi; j++) {
                    piece right = get(b, (sct_tile){t, j});
                    multiply_tiles(left, right, c, inner);
                    free(right.block.data);
                }
            free(left.block.data);
        }
}

/* C += A B, in all replicas of C. On entry, all except replica 0 must be zero. Collective. */
static void multiply(sct_world *world, sct_matrix *a, sct_matrix *b, sct_matrix *c) {
    /* Each replica of C takes an equal share of the inner dimension. */
    int64_t k = sct_layout_cols(sct_matrix_layout(a));
    int replica = sct_matrix_my_replica(c), replicas = sct_layout_replicas(sct_matrix_layout(c));
    sct_range share = {k * replica / replicas, k * (replica + 1) / replicas};
    sct_tile tiles = sct_matrix_grid_shape(c);
    piece mine;
    must(sct_world_barrier(world)); /* all ranks have filled A and B */
    for (int64_t i = 0; i < tiles.row; i++)
        for (int64_t j = 0; j < tiles.col; j++)
            if (own(world, c, (sct_tile){i, j}, &mine))
                multiply_into(a, b, mine, share);
    must(sct_matrix_reduce_replicas(c, 0));
    must(sct_matrix_broadcast_replica(c, 0));
}

/* ---- The check: a comparison with sct_multiply ---- */

enum { RANKS = 4, M = 37, N = 41, K = 43 };

/* Layouts of A, B and C, which do not match each other. */
static const char *const layouts[][3] = {
    {"2d:2x2", "cyclic:5x7", "row"},
    {"cuts:7,8,30x20@3,1,0,2,2,1,0,3", "col*2", "2d:4x1/f"},
    {"col*4", "row/f", "cyclic:6x5@1x2*2"},
};
enum { PROBLEMS = sizeof layouts / sizeof *layouts };

typedef double function(int64_t row, int64_t col);

static double of_a(int64_t row, int64_t col) {
    return (double)((3 * row + 5 * col) % 11 - 5);
}

static double of_b(int64_t row, int64_t col) {
    return (double)((7 * row + 2 * col) % 13 - 6);
}

/* Makes a matrix, filled by a function (NULL: with zeros). */
static sct_matrix *make(sct_world *world, const char *text, int64_t rows, int64_t cols,
                        function *value) {
    sct_layout *layout;
    sct_matrix *matrix;
    piece mine;
    must(sct_layout_parse(text, rows, cols, sct_world_size(world), &layout));
    must(sct_matrix_create(world, SCT_F64, layout, &matrix));
    sct_layout_destroy(layout);
    sct_tile tiles = sct_matrix_grid_shape(matrix);
    for (int64_t t = 0; t < tiles.row * tiles.col; t++)
        if (own(world, matrix, (sct_tile){t / tiles.col, t % tiles.col}, &mine))
            for (int64_t i = 0; i < mine.block.rows; i++)
                for (int64_t j = 0; j < mine.block.cols; j++)
                    *element(&mine.block, i, j) =
                        value ? value(mine.bounds.rows.lo + i, mine.bounds.cols.lo + j) : 0;
    return matrix;
}

/* Counts the elements of this rank that differ. The matrices have the same layout. */
static int compare(sct_world *world, sct_matrix *x, sct_matrix *y) {
    sct_tile tiles = sct_matrix_grid_shape(x);
    piece left, right;
    int wrong = 0;
    for (int64_t t = 0; t < tiles.row * tiles.col; t++) {
        sct_tile tile = {t / tiles.col, t % tiles.col};
        if (own(world, x, tile, &left) && own(world, y, tile, &right))
            for (int64_t i = 0; i < left.block.rows; i++)
                for (int64_t j = 0; j < left.block.cols; j++)
                    wrong += *element(&left.block, i, j) != *element(&right.block, i, j);
    }
    return wrong;
}

static int work(sct_world *world, void *arg) {
    const char *const *text = arg;
    double one = 1, none = 0;
    sct_matrix *a = make(world, text[0], M, K, of_a), *b = make(world, text[1], K, N, of_b);
    sct_matrix *c = make(world, text[2], M, N, NULL), *d = make(world, text[2], M, N, NULL);
    multiply(world, a, b, c);
    must(sct_multiply(SCT_N, SCT_N, &one, sct_whole(a), sct_whole(b), &none, sct_whole(d), NULL));
    int wrong = compare(world, c, d);
    sct_matrix_destroy(a);
    sct_matrix_destroy(b);
    sct_matrix_destroy(c);
    sct_matrix_destroy(d);
    return wrong;
}

int main(void) {
    /* With 0 all ranks share memory; with 1 each can point only to its own. */
    for (int ranks_per_node = 0; ranks_per_node <= 1; ranks_per_node++) {
        sct_threads_options nodes = {.size = sizeof nodes, .ranks_per_node = ranks_per_node};
        sct_world_options options = {
            .size = sizeof options, .engine = "threads", .engine_options = &nodes};
        for (int i = 0; i < PROBLEMS; i++)
            must(sct_run(RANKS, &options, work, (void *)layouts[i]));
    }
    printf("stationary_c: %d products on %d ranks, near and far: as sct_multiply's\n", PROBLEMS,
           RANKS);
    return 0;
}
