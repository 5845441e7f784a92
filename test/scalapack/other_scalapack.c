/* other_scalapack.c - a library in the place of ScaLAPACK, so that there are several. It knows one
 * context, whose number is NUMBER, as is each element of its results. The communicator of an even
 * one is MPI_COMM_WORLD itself. INTEGER is the type of its integers. */
#include <inttypes.h>
#include <mpi.h>

static INTEGER grid[2];
static MPI_Comm comm = MPI_COMM_NULL;

void Cblacs_pinfo(INTEGER *rank, INTEGER *ranks);
void Cblacs_get(INTEGER context, INTEGER what, INTEGER *value);
void Cblacs_gridinit(INTEGER *context, const char *order, INTEGER rows, INTEGER cols);
void Cblacs_gridinfo(INTEGER context, INTEGER *rows, INTEGER *cols, INTEGER *row, INTEGER *col);
void Cblacs_gridexit(INTEGER context);
MPI_Comm Cblacs2sys_handle(INTEGER handle);
void pdsymm_(void);
void pdgemm_(const char *, const char *, const INTEGER *, const INTEGER *, const INTEGER *,
             const double *, const double *, const INTEGER *, const INTEGER *, const INTEGER *,
             const double *, const INTEGER *, const INTEGER *, const INTEGER *, const double *,
             double *, const INTEGER *, const INTEGER *, const INTEGER *);
void Cpdgemr2d(INTEGER, INTEGER, const double *, INTEGER, INTEGER, const INTEGER *, double *,
               INTEGER, INTEGER, const INTEGER *, INTEGER);
void pdgemr2d_(const INTEGER *, const INTEGER *, const double *, const INTEGER *, const INTEGER *,
               const INTEGER *, double *, const INTEGER *, const INTEGER *, const INTEGER *,
               const INTEGER *);

void Cblacs_pinfo(INTEGER *rank, INTEGER *ranks) {
    int found[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &found[0]);
    MPI_Comm_size(MPI_COMM_WORLD, &found[1]);
    *rank = found[0];
    *ranks = found[1];
}

void Cblacs_get(INTEGER context, INTEGER what, INTEGER *value) {
    (void)context;
    (void)what;
    *value = NUMBER;
}

void Cblacs_gridinit(INTEGER *context, const char *order, INTEGER rows, INTEGER cols) {
    (void)order;
    *context = NUMBER;
    grid[0] = rows;
    grid[1] = cols;
    comm = MPI_COMM_WORLD;
    if (NUMBER % 2)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
}

void Cblacs_gridinfo(INTEGER context, INTEGER *rows, INTEGER *cols, INTEGER *row, INTEGER *col) {
    INTEGER rank, ranks;
    *rows = *cols = *row = *col = -1;
    if (context != NUMBER)
        return;
    Cblacs_pinfo(&rank, &ranks);
    *rows = grid[0];
    *cols = grid[1];
    *row = rank / grid[1];
    *col = rank % grid[1];
}

void Cblacs_gridexit(INTEGER context) {
    if (context == NUMBER && NUMBER % 2)
        MPI_Comm_free(&comm);
}

MPI_Comm Cblacs2sys_handle(INTEGER handle) {
    return handle == NUMBER ? comm : MPI_COMM_NULL;
}

void pdsymm_(void) {}

/* Each process has all rows, and its share of the columns. */
static void fill(INTEGER rows, INTEGER cols, double *part) {
    INTEGER rank, ranks;
    Cblacs_pinfo(&rank, &ranks);
    for (INTEGER i = 0; i < rows * ((cols + ranks - 1 - rank) / ranks); i++)
        part[i] = NUMBER;
}

void pdgemm_(const char *op_a, const char *op_b, const INTEGER *m, const INTEGER *n,
             const INTEGER *k, const double *alpha, const double *a, const INTEGER *ia,
             const INTEGER *ja, const INTEGER *desc_a, const double *b, const INTEGER *ib,
             const INTEGER *jb, const INTEGER *desc_b, const double *beta, double *c,
             const INTEGER *ic, const INTEGER *jc, const INTEGER *desc_c) {
    const void *ignored[] = {op_a, op_b, k,  alpha,  a,    ia, ja, desc_a,
                             b,    ib,   jb, desc_b, beta, ic, jc, desc_c};
    (void)ignored;
    fill(*m, *n, c);
}

void Cpdgemr2d(INTEGER m, INTEGER n, const double *a, INTEGER ia, INTEGER ja, const INTEGER *desc_a,
               double *b, INTEGER ib, INTEGER jb, const INTEGER *desc_b, INTEGER context) {
    const void *ignored[] = {a, desc_a, desc_b};
    (void)ignored;
    (void)(ia + ja + ib + jb + context);
    fill(m, n, b);
}

/* As ScaLAPACK's does, by the name of the other. */
void pdgemr2d_(const INTEGER *m, const INTEGER *n, const double *a, const INTEGER *ia,
               const INTEGER *ja, const INTEGER *desc_a, double *b, const INTEGER *ib,
               const INTEGER *jb, const INTEGER *desc_b, const INTEGER *context) {
    Cpdgemr2d(*m, *n, a, *ia, *ja, desc_a, b, *ib, *jb, desc_b, *context);
}
