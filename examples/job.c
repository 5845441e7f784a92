/* job.c - plans once and runs often. Each round is a step of power iteration on 8 vectors, without
 * the scaling: y = A x, where A is a view of a larger matrix, then x = y, in another layout. */
#include <sectile/sectile.h>

#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 400, BORDER = 7, VECTORS = 8, RANKS = 4, ROUNDS = 10 };

static void must(sct_status status) {
    if (status == SCT_OK)
        return;
    fprintf(stderr, "job: %s: %s\n", sct_status_name(status), sct_last_reason());
    exit(1);
}

/* Sets all elements that this rank stores. Only for row-major layouts. */
static void fill(sct_matrix *matrix, int rank, double value) {
    sct_tile grid = sct_matrix_grid_shape(matrix), tile;
    for (tile.row = 0; tile.row < grid.row; tile.row++)
        for (tile.col = 0; tile.col < grid.col; tile.col++) {
            int owner;
            sct_block block;
            must(sct_matrix_tile_owner(matrix, tile, SCT_HERE, &owner));
            if (owner != rank)
                continue;
            must(sct_matrix_tile(matrix, tile, SCT_HERE, &block));
            for (int64_t i = 0; i < block.rows; i++)
                for (int64_t j = 0; j < block.cols; j++)
                    ((double *)block.data)[i * block.ld + j] = value;
        }
}

static sct_matrix *make(sct_world *world, const char *layout_text, int64_t rows, int64_t cols) {
    sct_layout *layout;
    sct_matrix *matrix;
    must(sct_layout_parse(layout_text, rows, cols, RANKS, &layout));
    must(sct_matrix_create(world, SCT_F64, layout, &matrix));
    sct_layout_destroy(layout); /* the matrix keeps what it needs */
    return matrix;
}

/* Plans this rank's part of y = A x. */
static sct_plan *make_plan(sct_view a, sct_view x, sct_view y, int rank) {
    sct_problem problem = {.size = sizeof problem,
                           .type = SCT_F64,
                           .a = sct_matrix_layout(a.matrix),
                           .b = sct_matrix_layout(x.matrix),
                           .c = sct_matrix_layout(y.matrix),
                           .view_a = &a.slice,
                           .ranks = RANKS};
    sct_plan *plan;
    must(sct_plan_create(&problem, rank, NULL, &plan));
    return plan;
}

static int work(sct_world *world, void *arg) {
    int rank = sct_world_rank(world);
    sct_matrix *large = make(world, "cyclic:32x32", SIZE + BORDER, SIZE + BORDER);
    sct_matrix *x = make(world, "row", SIZE, VECTORS), *y = make(world, "col", SIZE, VECTORS);
    fill(large, rank, 1.0 / SIZE); /* so that A x = x if all elements of x are equal */
    fill(x, rank, 3);

    sct_slice inner = {{BORDER, SIZE + BORDER}, {BORDER, SIZE + BORDER}};
    sct_view a;
    must(sct_matrix_view(large, inner, &a));
    sct_plan *plan = make_plan(a, sct_whole(x), sct_whole(y), rank);
    sct_job *job;
    must(sct_job_create(world, plan, a, sct_whole(x), sct_whole(y), &job));
    sct_plan_destroy(plan); /* the job keeps what it needs */

    double one = 1, zero = 0;
    for (int round = 0; round < ROUNDS; round++) {
        must(sct_job_start(job, &one, &zero));
        must(sct_job_wait(job));
        must(sct_copy(SCT_N, sct_whole(y), sct_whole(x), NULL));
    }
    if (rank == 0) {
        sct_block first;
        must(sct_matrix_tile(x, (sct_tile){0, 0}, SCT_HERE, &first));
        *(double *)arg = *(double *)first.data;
    }
    sct_job_destroy(job);
    sct_matrix_destroy(large);
    sct_matrix_destroy(x);
    sct_matrix_destroy(y);
    return 0;
}

int main(void) {
    double x = 0;
    must(sct_run(RANKS, NULL, work, &x));
    printf("after %d rounds, x(0, 0) = %.6f\n", ROUNDS, x);
    return x < 2.999999 || x > 3.000001;
}
