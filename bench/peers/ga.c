/* ga.c - GA_Dgemm of Global Arrays, dealt as its word says: 2d (by its own choice), row or col.
 *
 * Its results are wrong on memory that MPICH 4.0 allocates for windows; Open MPI 4.1 has one way of
 * RMA over TCP.
 *
 * packages: libglobalarrays-dev libarmci-mpi-dev
 * flags: -lga-MPI -larmci-MPI -lscalapack-MPI -llapack -lgfortran -lm
 * set openmpi several: OMPI_MCA_osc=pt2pt
 * set mpich one: ARMCI_USE_WIN_ALLOCATE=0
 * set mpich several: ARMCI_USE_WIN_ALLOCATE=0 UCX_TCP_TX_SEG_SIZE=64k UCX_RNDV_THRESH=64k
 * words 2: 2d, row, col
 * words 4: 2d, row, col */
#include "driver.h"

#include <ga.h>
#include <macdecls.h>
#include <stdint.h>
#include <string.h>

const char peer_name[] = "ga";

static struct {
    struct problem problem;
    int a, b, c;
} all;

static int make(const char *name, int m, int n, const char *dealt) {
    int length[] = {m, n};
    int chunk[] = {strcmp(dealt, "col") ? -1 : m, strcmp(dealt, "row") ? -1 : n};
    int array = NGA_Create(C_DBL, 2, length, (char *)(intptr_t)name, chunk);
    if (!array)
        fail("no array of %d x %d", m, n);
    return array;
}

/* visit(element, value) for what this rank has of an array; stops, and says so, at a false. */
static bool each(int array, bool visit(double *element, int i, int j)) {
    int low[2], high[2], ld;
    double *part;
    NGA_Distribution(array, all.problem.rank, low, high);
    if (low[0] < 0 || high[0] < low[0])
        return true;
    NGA_Access(array, low, high, &part, &ld);
    bool fine = true;
    for (int i = low[0]; fine && i <= high[0]; i++)
        for (int j = low[1]; fine && j <= high[1]; j++)
            fine = visit(part + (long)(i - low[0]) * ld + (j - low[1]), i, j);
    NGA_Release_update(array, low, high);
    return fine;
}

static bool set_a(double *element, int i, int l) {
    *element = element_of_a(i, l);
    return true;
}
static bool set_b(double *element, int l, int j) {
    *element = element_of_b(l, j);
    return true;
}
static bool check_c(double *element, int i, int j) {
    return *element == element_of_c(i, j, 0, all.problem.k);
}

void peer_open(struct problem *p) {
    const char *dealt = *p->words;
    if (!dealt || (strcmp(dealt, "2d") && strcmp(dealt, "row") && strcmp(dealt, "col")))
        fail("needs 2d, row or col");
    all.problem = *p;
    GA_Initialize();
    if (!MA_init(C_DBL, 1 << 20, 1 << 24))
        fail("no memory");
    all.a = make("A", p->m, p->k, dealt);
    all.b = make("B", p->k, p->n, dealt);
    all.c = make("C", p->m, p->n, dealt);
    GA_Zero(all.c);
    each(all.a, set_a);
    each(all.b, set_b);
    GA_Sync();
}

void peer_multiply(void) {
    const struct problem *p = &all.problem;
    GA_Dgemm('N', 'N', p->m, p->n, p->k, 1, all.a, all.b, 0, all.c);
}

bool peer_check(void) {
    return each(all.c, check_c);
}

void peer_close(void) {
    GA_Destroy(all.a);
    GA_Destroy(all.b);
    GA_Destroy(all.c);
    GA_Terminate();
}
