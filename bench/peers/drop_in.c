/* drop_in.c - pdgemm or psgemm of ScaLAPACK and of the drop-in, and one BLAS call on each rank's
 * share, in turns: drop_in MxNxK TYPE ROWSxCOLUMNS BLOCK ROUNDS [new], with type s or d; with
 * "new", on other submatrices in each round, so that the drop-in has to plan each product. A copy
 * between contexts, from 64x64 blocks on 1 x ranks to 100x37 on the squarest grid: drop_in copy N
 * ROUNDS.
 *
 * Prints a line of JSON: medians in seconds, of the slowest rank, and medians of ratios, round by
 * round: BLAS over drop-in, ScaLAPACK over drop-in; and what the first call adds to the peak memory
 * of a rank, over the bytes of its matrices. */
#include "driver.h"

#include <cblas.h>
#include <mpi.h>
#include <sectile/sectile_scalapack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

extern sct_scalapack_gemm psgemm_, pdgemm_;
extern sct_scalapack_gemr2d pdgemr2d_;
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
int numroc_(const int *n, const int *block, const int *coordinate, const int *source,
            const int *coordinates);

const char peer_name[] = "drop_in";

/* With "new", submatrices repeat after so many rounds, which is more than the drop-in keeps. */
enum { MOST_ROUNDS = 9999, PLACES = 16 };
enum { RUNS = 3 }; /* the drop-in, ScaLAPACK and the BLAS */

static const double one = 1, zero = 0;
static const float one_f32 = 1, zero_f32 = 0;

typedef struct grid {
    int context, rows, columns, row, column;
} grid;

typedef struct matrix {
    int descriptor[9];
    size_t bytes;
    void *part;
} matrix;

static grid make_grid(int rows, int columns) {
    grid made;
    Cblacs_get(-1, 0, &made.context);
    Cblacs_gridinit(&made.context, "Row", rows, columns);
    Cblacs_gridinfo(made.context, &made.rows, &made.columns, &made.row, &made.column);
    return made;
}

/* Memory whose pages exist: those never written would all be one page, which is read from a cache.
 */
static void *touched(size_t bytes) {
    void *memory = malloc(bytes + 1);
    memset(memory, 0, bytes);
    return memory;
}

static matrix make(const grid *on, int m, int n, int mb, int nb, size_t element) {
    const int source = 0;
    int rows = numroc_(&m, &mb, &on->row, &source, &on->rows);
    int columns = numroc_(&n, &nb, &on->column, &source, &on->columns);
    matrix made = {.descriptor = {1, on->context, m, n, mb, nb, 0, 0, rows > 0 ? rows : 1},
                   .bytes = (size_t)rows * (size_t)columns * element};
    made.part = touched(made.bytes);
    return made;
}

/* The most memory that the process has had. */
static double peak(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

/* ---- What is compared ---- */

typedef struct product {
    int m, n, k, ranks;
    int places, first; /* submatrices to begin at, in turn; the present one */
    bool single;
    matrix a, b, c, from, to;
    void *blas_a, *blas_b, *blas_c;
    const int *world;
} product;

static void gemm(sct_scalapack_gemm *routine, const product *p) {
    const int *first = &p->first;
    routine("N", "N", &p->m, &p->n, &p->k, p->single ? (const void *)&one_f32 : &one, p->a.part,
            first, first, p->a.descriptor, p->b.part, first, first, p->b.descriptor,
            p->single ? (const void *)&zero_f32 : &zero, p->c.part, first, first, p->c.descriptor);
}

static void by_drop_in(const product *p) {
    gemm(p->single ? sectile_psgemm_ : sectile_pdgemm_, p);
}

static void by_scalapack(const product *p) {
    gemm(p->single ? psgemm_ : pdgemm_, p);
}

/* The longest dimension is divided. */
static void by_blas(const product *p) {
    int m = p->m, n = p->n, k = p->k;
    int *longest = m >= n && m >= k ? &m : n >= k ? &n : &k;
    *longest /= p->ranks;
    if (p->single)
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, p->blas_a, m, p->blas_b,
                    k, 0, p->blas_c, m);
    else
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, p->blas_a, m, p->blas_b,
                    k, 0, p->blas_c, m);
}

static void copy(sct_scalapack_gemr2d *routine, const product *p) {
    const int *first = &p->first;
    routine(&p->m, &p->n, p->from.part, first, first, p->from.descriptor, p->to.part, first, first,
            p->to.descriptor, p->world);
}

static void copy_by_drop_in(const product *p) {
    copy(sectile_pdgemr2d_, p);
}

static void copy_by_scalapack(const product *p) {
    copy(pdgemr2d_, p);
}

typedef void run(const product *p);

/* With CLOCK=process, the processor time of the process: also of use on a machine with other load,
 * but not for ScaLAPACK, whose processes poll while they wait. */
static double now(void) {
    const char *asked = getenv("CLOCK");
    return asked && !strcmp(asked, "process") ? (double)clock() / CLOCKS_PER_SEC : MPI_Wtime();
}

static double time_of(run *what, const product *p) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = now();
    what(p);
    return most_of_all(now() - start);
}

/* The order alternates: a run of ScaLAPACK after the drop-in, or the reverse, finds its code and
 * its data in the caches. */
static void compare(run *const runs[RUNS], product *p, int rounds, double memory,
                    const char *label) {
    static double times[RUNS][MOST_ROUNDS], ratios[2][MOST_ROUNDS];
    int rank;
    for (int i = -1; i < rounds; i++) {
        p->first = 1 + (i + 1) % p->places;
        double took[RUNS] = {0};
        for (int turn = 0; turn < RUNS; turn++) {
            int which = i % 2 ? turn : RUNS - 1 - turn;
            if (runs[which])
                took[which] = time_of(runs[which], p);
        }
        if (i < 0)
            continue;
        for (int which = 0; which < RUNS; which++)
            times[which][i] = took[which];
        ratios[0][i] = took[2] / took[0];
        ratios[1][i] = took[1] / took[0];
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("{\"what\":\"%s\",\"ranks\":%d,\"drop_in\":%.6f,\"scalapack\":%.6f,\"blas\":%.6f,"
               "\"blas_over\":%.3f,\"scalapack_over\":%.3f,\"memory\":%.2f}\n",
               label, p->ranks, quantile(times[0], rounds, 0.5), quantile(times[1], rounds, 0.5),
               quantile(times[2], rounds, 0.5), quantile(ratios[0], rounds, 0.5),
               quantile(ratios[1], rounds, 0.5), memory);
}

static void compare_products(char **words, product *p) {
    int rows, columns, block = atoi(words[3]), rounds = atoi(words[4]);
    if (sscanf(words[0], "%dx%dx%d", &p->m, &p->n, &p->k) != 3 ||
        sscanf(words[2], "%dx%d", &rows, &columns) != 2 || rounds > MOST_ROUNDS)
        fail("needs MxNxK, s or d, ROWSxCOLUMNS, a block size and a number of rounds");
    p->single = words[1][0] == 's';
    size_t element = p->single ? sizeof(float) : sizeof(double);
    grid on = make_grid(rows, columns);
    int more = p->places - 1;
    p->a = make(&on, p->m + more, p->k + more, block, block, element);
    p->b = make(&on, p->k + more, p->n + more, block, block, element);
    p->c = make(&on, p->m + more, p->n + more, block, block, element);
    double before = peak();
    by_drop_in(p);
    double memory = (peak() - before) / (double)(p->a.bytes + p->b.bytes + p->c.bytes + 1);
    p->blas_a = touched((size_t)p->m * (size_t)p->k * element);
    p->blas_b = touched((size_t)p->k * (size_t)p->n * element);
    p->blas_c = touched((size_t)p->m * (size_t)p->n * element);
    char label[100];
    snprintf(label, sizeof label, "%s %s %s blocks of %d%s", words[0], words[1], words[2], block,
             more ? " new" : "");
    compare((run *[RUNS]){by_drop_in, by_scalapack, by_blas}, p, rounds, most_of_all(memory),
            label);
}

static void compare_copies(char **words, product *p) {
    int rows = 1, rounds = atoi(words[2]);
    p->m = p->n = atoi(words[1]);
    while ((rows + 1) * (rows + 1) <= p->ranks)
        rows++;
    grid from = make_grid(1, p->ranks), to = make_grid(rows, p->ranks / rows);
    p->from = make(&from, p->m, p->n, 64, 64, sizeof(double));
    p->to = make(&to, p->m, p->n, 100, 37, sizeof(double));
    p->world = &from.context;
    double before = peak();
    copy_by_drop_in(p);
    double memory = (peak() - before) / (double)(p->from.bytes + p->to.bytes + 1);
    compare((run *[RUNS]){copy_by_drop_in, copy_by_scalapack}, p, rounds, most_of_all(memory),
            "copy");
}

int main(int argc, char **argv) {
    product p = {.places = 1, .first = 1};
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p.ranks);
    if (argc == 4 && !strcmp(argv[1], "copy"))
        compare_copies(argv + 1, &p);
    else if (argc == 6 || (argc == 7 && !strcmp(argv[6], "new"))) {
        p.places = argc == 7 ? PLACES : 1;
        compare_products(argv + 1, &p);
    } else
        fail("needs five words and perhaps new, or copy, a size and a number of rounds");
    MPI_Finalize();
    return 0;
}
