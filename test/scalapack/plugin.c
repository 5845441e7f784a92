/* plugin.c - a plug-in that brings MPI and a ScaLAPACK: it multiplies and copies, and says who did.
 * INTEGER is the type of the integers of its ScaLAPACK. */
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>

enum { ORDER = 12, MOST = ORDER * ORDER };

void Cblacs_get(INTEGER context, INTEGER what, INTEGER *value);
void Cblacs_gridinit(INTEGER *context, const char *order, INTEGER rows, INTEGER cols);
void Cblacs_gridexit(INTEGER context);
void pdgemm_(const char *, const char *, const INTEGER *, const INTEGER *, const INTEGER *,
             const double *, const double *, const INTEGER *, const INTEGER *, const INTEGER *,
             const double *, const INTEGER *, const INTEGER *, const INTEGER *, const double *,
             double *, const INTEGER *, const INTEGER *, const INTEGER *);
void pdgemr2d_(const INTEGER *, const INTEGER *, const double *, const INTEGER *, const INTEGER *,
               const INTEGER *, double *, const INTEGER *, const INTEGER *, const INTEGER *,
               const INTEGER *);
void Cpdgemr2d(INTEGER, INTEGER, const double *, INTEGER, INTEGER, const INTEGER *, double *,
               INTEGER, INTEGER, const INTEGER *, INTEGER);
int plugin_run(void);
int plugin_end(void);

static int rank;

/* Says whose number the elements are. */
static void say(const char *routine, const double *part, int count) {
    int differ = 0;
    for (int i = 1; i < count; i++)
        differ += part[i] != part[0];
    MPI_Allreduce(MPI_IN_PLACE, &differ, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && differ)
        printf("%s: %d elements differ\n", routine, differ);
    else if (rank == 0)
        printf("%s: %g\n", routine, part[0]);
}

int plugin_run(void) {
    static const INTEGER n = ORDER, one = 1;
    static const double alpha = 1, beta = 0;
    static double a[MOST], c[MOST], d[MOST];
    int begun, ranks;
    MPI_Initialized(&begun);
    if (!begun)
        MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    INTEGER context;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", 1, ranks);
    const INTEGER desc[9] = {1, context, ORDER, ORDER, ORDER, 1, 0, 0, ORDER};
    int count = ORDER * ((ORDER + ranks - 1 - rank) / ranks);
    for (int i = 0; i < count; i++)
        a[i] = 1;
    pdgemm_("N", "N", &n, &n, &n, &alpha, a, &one, &one, desc, a, &one, &one, desc, &beta, c, &one,
            &one, desc);
    say("pdgemm_", c, count);
    pdgemr2d_(&n, &n, a, &one, &one, desc, d, &one, &one, desc, &context);
    say("pdgemr2d_", d, count);
    Cpdgemr2d(n, n, c, 1, 1, desc, d, 1, 1, desc, context);
    say("Cpdgemr2d", d, count);
    Cblacs_gridexit(context);
    return 0;
}

int plugin_end(void) {
    return MPI_Finalize() != MPI_SUCCESS;
}
