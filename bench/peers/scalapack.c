/* scalapack.c - pdgemm on a grid of ROWS x COLUMNS, in square blocks of SIZE: its words.
 *
 * packages: libscalapack-openmpi-dev libscalapack-mpich-dev
 * flags: -lscalapack-MPI
 * set mpich several: UCX_TCP_TX_SEG_SIZE=64k UCX_RNDV_THRESH=64k
 * words 2: 1 2 64, 1 2 256, 2 1 64, 2 1 256
 * words 4: 2 2 64, 2 2 256, 1 4 128, 4 1 128 */
#include "driver.h"

#include <stdlib.h>

const char peer_name[] = "scalapack";

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *block, const int *coordinate, const int *source,
            const int *coordinates);
void descinit_(int *descriptor, const int *m, const int *n, const int *mb, const int *nb,
               const int *source_row, const int *source_column, const int *context, const int *ld,
               int *info);
void pdgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k,
             const double *alpha, const double *a, const int *ia, const int *ja, const int *desc_a,
             const double *b, const int *ib, const int *jb, const int *desc_b, const double *beta,
             double *c, const int *ic, const int *jc, const int *desc_c);

struct matrix {
    int m, n; /* of the part of this rank */
    int descriptor[9];
    double *part;
};

static struct {
    struct problem problem;
    int context, rows, columns, row, column, block;
    struct matrix a, b, c;
} all;

static void make(struct matrix *matrix, int m, int n) {
    const int zero = 0;
    int info;
    matrix->m = numroc_(&m, &all.block, &all.row, &zero, &all.rows);
    matrix->n = numroc_(&n, &all.block, &all.column, &zero, &all.columns);
    const int ld = matrix->m > 0 ? matrix->m : 1;
    descinit_(matrix->descriptor, &m, &n, &all.block, &all.block, &zero, &zero, &all.context, &ld,
              &info);
    matrix->part = calloc((size_t)ld * (size_t)matrix->n + 1, sizeof *matrix->part);
    if (info != 0 || !matrix->part)
        fail("no matrix of %d x %d", m, n);
}

/* The index in the whole matrix of one in this rank's part. */
static int whole(int local, int coordinate, int coordinates) {
    return (local / all.block * coordinates + coordinate) * all.block + local % all.block;
}
static int whole_row(int i) {
    return whole(i, all.row, all.rows);
}
static int whole_column(int j) {
    return whole(j, all.column, all.columns);
}

static void fill(struct matrix *matrix, double element(int, int)) {
    for (int j = 0; j < matrix->n; j++)
        for (int i = 0; i < matrix->m; i++)
            matrix->part[i + (long)j * matrix->m] = element(whole_row(i), whole_column(j));
}

void peer_open(struct problem *p) {
    all.rows = next_number(p);
    all.columns = next_number(p);
    all.block = next_number(p);
    all.problem = *p;
    if (all.rows * all.columns != p->ranks)
        fail("%d ranks are no grid of %d x %d", p->ranks, all.rows, all.columns);
    Cblacs_get(-1, 0, &all.context);
    Cblacs_gridinit(&all.context, "Row", all.rows, all.columns);
    Cblacs_gridinfo(all.context, &all.rows, &all.columns, &all.row, &all.column);
    make(&all.a, p->m, p->k);
    make(&all.b, p->k, p->n);
    make(&all.c, p->m, p->n);
    fill(&all.a, element_of_a);
    fill(&all.b, element_of_b);
}

void peer_multiply(void) {
    const struct problem *p = &all.problem;
    const int one = 1;
    const double alpha = 1, beta = 0;
    pdgemm_("N", "N", &p->m, &p->n, &p->k, &alpha, all.a.part, &one, &one, all.a.descriptor,
            all.b.part, &one, &one, all.b.descriptor, &beta, all.c.part, &one, &one,
            all.c.descriptor);
}

bool peer_check(void) {
    for (int j = 0; j < all.c.n; j++)
        for (int i = 0; i < all.c.m; i++)
            if (all.c.part[i + (long)j * all.c.m] !=
                element_of_c(whole_row(i), whole_column(j), 0, all.problem.k))
                return false;
    return true;
}

void peer_close(void) {
    free(all.a.part);
    free(all.b.part);
    free(all.c.part);
    Cblacs_gridexit(all.context);
}
