/* repeated.c - when a product has come three times with its matrices where they were, the drop-in
 * moves those that the other process reads to huge pages, once. The BLACS is a stand-in, and so is
 * what moves them, which notes what it is asked for. Runs on 2 processes. */
#include "scalapack/stand_in.h"
#include "support/check.h"

#include "base/memory.h"

#include <mpi.h>
#include <sectile/sectile_scalapack.h>
#include <stdlib.h>

enum { M = 4, N = 6, K = 64, RANKS = 2, BLOCK = 1, MOST = 16 };

static int joined;
static struct {
    const void *memory;
    size_t bytes;
} pages[MOST];

void __wrap_sct_memory_join_pages(const void *memory, size_t bytes);

void __wrap_sct_memory_join_pages(const void *memory, size_t bytes) {
    if (joined < MOST) {
        pages[joined].memory = memory;
        pages[joined].bytes = bytes;
    }
    joined++;
}

/* This process's part of a matrix of which the columns are dealt one by one. */
typedef struct array {
    int desc[9];
    size_t bytes;
    double *part;
} array;

static array make(int context, int rows, int cols) {
    array made = {{1, context, rows, cols, rows, BLOCK, 0, 0, rows}, .bytes = 0};
    made.bytes = (size_t)rows * (size_t)(cols / RANKS) * sizeof(double);
    made.part = malloc(made.bytes);
    for (size_t i = 0; i < made.bytes / sizeof(double); i++)
        made.part[i] = 1;
    return made;
}

static void multiply(const array *a, const array *b, const array *c) {
    static const int m = M, n = N, k = K, one = 1;
    static const double alpha = 1, beta = 0;
    sectile_pdgemm_("N", "N", &m, &n, &k, &alpha, a->part, &one, &one, a->desc, b->part, &one, &one,
                    b->desc, &beta, c->part, &one, &one, c->desc);
    CHECK(c->part[0] == K);
}

/* How often the part was moved, as a whole. */
static int times(const array *x) {
    int found = 0;
    for (int i = 0; i < joined && i < MOST; i++)
        found += pages[i].memory == x->part && pages[i].bytes == x->bytes;
    return found;
}

/* B is the largest, and stays where it is. */
static void repeat(const array *a, const array *b, const array *c) {
    joined = 0;
    multiply(a, b, c);
    multiply(a, b, c);
    CHECK_CASE(joined == 0, "%d parts are moved too early", joined);
    multiply(a, b, c);
    multiply(a, b, c);
    multiply(a, b, c);
    CHECK_CASE(joined == 2, "%d parts are moved, not 2", joined);
    CHECK_CASE(times(a) == 1 && times(b) == 0 && times(c) == 1, "a %d times, b %d, c %d", times(a),
               times(b), times(c));
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    stand_in.communicators = stand_in.grids = true;
    sct_scalapack_set_threshold(0);
    int context = stand_in_context((stand_in_grid){1, RANKS, 0, rank});
    array a = make(context, M, K), b = make(context, K, N), c = make(context, M, N);
    array elsewhere = make(context, M, K);
    repeat(&a, &b, &c);
    repeat(&elsewhere, &b, &c);
    MPI_Finalize();
    free(a.part);
    free(b.part);
    free(c.part);
    free(elsewhere.part);
    return check_report("repeated");
}
