/* factors.c - LU and Cholesky of ScaLAPACK, whose LU calls pdgemm, with products served by the
 * drop-in and passed on, in turns: factors ORDER ROWSxCOLUMNS BLOCK ROUNDS.
 *
 * Linked with the drop-in before ScaLAPACK. Prints a line of JSON for each: medians of seconds of
 * the slowest rank, and of the ratios, round by round: without over with. */
#include "driver.h"

#include <mpi.h>
#include <sectile/sectile_scalapack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
int numroc_(const int *n, const int *block, const int *coordinate, const int *source,
            const int *coordinates);
void pdgetrf_(const int *m, const int *n, double *a, const int *ia, const int *ja,
              const int *descriptor, int *pivots, int *info);
void pdpotrf_(const char *half, const int *n, double *a, const int *ia, const int *ja,
              const int *descriptor, int *info);

const char peer_name[] = "factors";

enum { MOST_ROUNDS = 99 };

typedef struct matrix {
    int n, descriptor[9], *pivots;
    size_t elements;
    double *part, *kept;
} matrix;

static void lu(matrix *x) {
    const int first = 1;
    int info;
    pdgetrf_(&x->n, &x->n, x->part, &first, &first, x->descriptor, x->pivots, &info);
}

static void cholesky(matrix *x) {
    const int first = 1;
    int info;
    pdpotrf_("L", &x->n, x->part, &first, &first, x->descriptor, &info);
}

/* Symmetric, with a large diagonal. */
static void fill(matrix *x, int block, int rows, int columns, int row, int column, int height) {
    for (size_t i = 0; i < x->elements; i++) {
        int local_row = (int)(i % (size_t)height), local_column = (int)(i / (size_t)height);
        int global_row = (local_row / block * rows + row) * block + local_row % block;
        int global_column =
            (local_column / block * columns + column) * block + local_column % block;
        x->kept[i] =
            global_row == global_column ? x->n : (double)((global_row + global_column) % 7) / 7;
    }
}

static double time_of(void (*what)(matrix *), matrix *x, double threshold) {
    memcpy(x->part, x->kept, x->elements * sizeof *x->part);
    sct_scalapack_set_threshold(threshold);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    what(x);
    return most_of_all(MPI_Wtime() - start);
}

static void compare(const char *name, void (*what)(matrix *), matrix *x, int rounds) {
    static double with[MOST_ROUNDS], without[MOST_ROUNDS], ratio[MOST_ROUNDS];
    const double never = 1e9, usual = sct_scalapack_threshold();
    uint64_t served = sct_scalapack_count().served;
    int rank;
    for (int i = -1; i < rounds; i++) {
        /* what runs first may gain or lose by that */
        double with_took = time_of(what, x, usual), without_took = time_of(what, x, never);
        without_took += time_of(what, x, never);
        with_took += time_of(what, x, usual);
        if (i < 0)
            continue;
        with[i] = with_took / 2;
        without[i] = without_took / 2;
        ratio[i] = without_took / with_took;
    }
    sct_scalapack_set_threshold(usual);
    served = (sct_scalapack_count().served - served) / (uint64_t)(2 * rounds + 2);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("{\"what\":\"%s\",\"order\":%d,\"block\":%d,\"with\":%.4f,\"without\":%.4f,"
               "\"without_over\":%.3f,\"served\":%llu}\n",
               name, x->n, x->descriptor[4], quantile(with, rounds, 0.5),
               quantile(without, rounds, 0.5), quantile(ratio, rounds, 0.5),
               (unsigned long long)served);
}

int main(int argc, char **argv) {
    int rows, columns, context, row, column;
    MPI_Init(&argc, &argv);
    if (argc != 5 || sscanf(argv[2], "%dx%d", &rows, &columns) != 2 || atoi(argv[4]) > MOST_ROUNDS)
        fail("needs an order, ROWSxCOLUMNS, a block size and a number of rounds");
    const int n = atoi(argv[1]), block = atoi(argv[3]), source = 0;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", rows, columns);
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    int height = numroc_(&n, &block, &row, &source, &rows);
    int width = numroc_(&n, &block, &column, &source, &columns);
    matrix x = {.n = n,
                .descriptor = {1, context, n, n, block, block, 0, 0, height > 0 ? height : 1},
                .elements = (size_t)height * (size_t)width};
    x.part = malloc(x.elements * sizeof *x.part + 1);
    x.kept = malloc(x.elements * sizeof *x.kept + 1);
    x.pivots = malloc((size_t)(height + block) * sizeof *x.pivots);
    fill(&x, block, rows, columns, row, column, height);
    compare("LU", lu, &x, atoi(argv[4]));
    compare("Cholesky", cholesky, &x, atoi(argv[4]));
    MPI_Finalize();
    return 0;
}
