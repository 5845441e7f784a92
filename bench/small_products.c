/* small_products.c - the microseconds of a product of 8 x 8 matrices, and of one with a new result.
 *
 *     OPENBLAS_NUM_THREADS=1 small_products RANKS
 *
 * python_overhead.py compares the Python package with these. */
#include <sectile/sectile.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIZE = 8, CALLS = 1000 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static sct_status multiply(sct_matrix *a, sct_matrix *b, sct_matrix *c) {
    const double one = 1, zero = 0;
    return sct_multiply(SCT_N, SCT_N, &one, sct_whole(a), sct_whole(b), &zero, sct_whole(c), NULL);
}

static sct_status multiply_new(sct_world *world, sct_matrix *a, sct_matrix *b) {
    sct_matrix *c;
    sct_status status = sct_matrix_create(world, SCT_F64, sct_matrix_layout(a), &c);
    if (status)
        return status;
    status = multiply(a, b, c);
    sct_matrix_destroy(c);
    return status;
}

static int work(sct_world *world, void *arg) {
    sct_layout *rows;
    sct_matrix *matrix[3];
    sct_status status = sct_layout_create_row(SIZE, SIZE, sct_world_size(world), &rows);
    (void)arg;
    for (int i = 0; i < 3 && !status; i++)
        status = sct_matrix_create(world, SCT_F64, rows, &matrix[i]);
    if (status)
        return 1;
    double begin = now();
    for (int i = 0; i < CALLS && !status; i++)
        status = multiply(matrix[0], matrix[1], matrix[2]);
    double middle = now();
    for (int i = 0; i < CALLS && !status; i++)
        status = multiply_new(world, matrix[0], matrix[1]);
    if (sct_world_rank(world) == 0)
        printf("%.3f %.3f\n", (middle - begin) / CALLS, (now() - middle) / CALLS);
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(matrix[i]);
    sct_layout_destroy(rows);
    return status != SCT_OK;
}

int main(int argc, char **argv) {
    return sct_run(argc > 1 ? atoi(argv[1]) : 1, NULL, work, NULL) != SCT_OK;
}
