/* multiply.c - the smallest complete program: four ranks, three layouts, one product. */
#include <sectile/sectile.h>

#include <stdio.h>
#include <stdlib.h>

enum { M = 300, N = 200, K = 500 };

static void must(sct_status status) {
    if (status == SCT_OK)
        return;
    fprintf(stderr, "multiply: %s: %s\n", sct_status_name(status), sct_last_reason());
    exit(1);
}

/* For a layout by rows, in which rank r stores tile (r, 0): sets each element (i, l) to l. */
static void fill(sct_matrix *matrix, int rank) {
    sct_block tile;
    must(sct_matrix_tile(matrix, (sct_tile){rank, 0}, SCT_HERE, &tile));
    for (int64_t i = 0; i < tile.rows; i++)
        for (int64_t l = 0; l < tile.cols; l++)
            ((double *)tile.data)[i * tile.ld + l] = (double)l;
}

/* For a layout by columns, in which rank r stores tile (0, r): sets each element to 1. */
static void fill_with_ones(sct_matrix *matrix, int rank) {
    sct_block tile;
    must(sct_matrix_tile(matrix, (sct_tile){0, rank}, SCT_HERE, &tile));
    for (int64_t l = 0; l < tile.rows; l++)
        for (int64_t j = 0; j < tile.cols; j++)
            ((double *)tile.data)[l * tile.ld + j] = 1;
}

/* Each rank runs this. */
static int work(sct_world *world, void *arg) {
    int rank = sct_world_rank(world), ranks = sct_world_size(world);
    sct_layout *rows, *cols, *blocks;
    must(sct_layout_create_row(M, K, ranks, &rows));
    must(sct_layout_create_col(K, N, ranks, &cols));
    must(sct_layout_create_2d(M, N, 2, ranks / 2, &blocks));

    sct_matrix *a, *b, *c;
    must(sct_matrix_create(world, SCT_F64, rows, &a));
    must(sct_matrix_create(world, SCT_F64, cols, &b));
    must(sct_matrix_create(world, SCT_F64, blocks, &c));
    fill(a, rank);
    fill_with_ones(b, rank);

    double one = 1, zero = 0;
    must(sct_multiply(SCT_N, SCT_N, &one, sct_whole(a), sct_whole(b), &zero, sct_whole(c), NULL));
    if (rank == 0) { /* it stores tile (0, 0) of C */
        sct_block tile;
        must(sct_matrix_tile(c, (sct_tile){0, 0}, SCT_HERE, &tile));
        *(double *)arg = *(double *)tile.data;
    }

    sct_matrix_destroy(a);
    sct_matrix_destroy(b);
    sct_matrix_destroy(c);
    sct_layout_destroy(rows);
    sct_layout_destroy(cols);
    sct_layout_destroy(blocks);
    return 0;
}

int main(void) {
    double first = 0;
    must(sct_run(4, NULL, work, &first));
    printf("C(0, 0) = %g\n", first); /* 0 + 1 + ... + 499 */
    return first != K * (K - 1) / 2;
}
