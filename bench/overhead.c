/* overhead.c - what starting and finishing a job costs, beside its products, and how often it
 * allocates memory.
 *
 *     OPENBLAS_NUM_THREADS=1 overhead RANKS SIZE
 *
 * prints the microseconds of a job of SIZE^3, those of its products alone, the difference, and the
 * number of allocations of one job. Each is the median of some rounds, which take turns. */
#include <sectile/sectile.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 15, JOBS = 2000, STEPS = 1024 };

/* All calls that get memory from the C library, of all threads. These functions stand before those
 * of the C library, which has them under these names, too. */
static atomic_long allocations;

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes) {
    atomic_fetch_add(&allocations, 1);
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
    atomic_fetch_add(&allocations, 1);
    return __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes) {
    atomic_fetch_add(&allocations, 1);
    return __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    atomic_fetch_add(&allocations, 1);
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes) {
    void *made = aligned_alloc(alignment, bytes);
    if (!made)
        return ENOMEM;
    *memory = made;
    return 0;
}

enum { A, B, C, MATRICES };

struct bench {
    int64_t size;
    double job[ROUNDS], products[ROUNDS]; /* microseconds, of the slowest rank */
    double *slowest;                      /* of each rank */
    long allocations;                     /* of all jobs of the last round */
};

/* What one rank has. */
struct rank {
    sct_world *world;
    sct_matrix *matrix[MATRICES];
    sct_plan *plan;
    sct_job *job;
    int64_t steps;
    sct_block block[STEPS][MATRICES]; /* the operands of each step alone */
};

static void must(sct_status status) {
    if (status == SCT_OK)
        return;
    fprintf(stderr, "overhead: %s: %s\n", sct_status_name(status), sct_last_reason());
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

static sct_block dense(int64_t rows, int64_t cols) {
    double *data = malloc((size_t)(rows * cols) * sizeof *data);
    if (!data)
        exit(1);
    for (int64_t i = 0; i < rows * cols; i++)
        data[i] = 1;
    return (sct_block){.data = data, .ld = cols, .rows = rows, .cols = cols};
}

static void bind_job(struct rank *rank, int64_t size) {
    sct_layout *layout;
    int ranks = sct_world_size(rank->world);
    must(sct_layout_create_row(size, size, ranks, &layout));
    for (int i = 0; i < MATRICES; i++) {
        sct_tile mine = {sct_world_rank(rank->world), 0};
        sct_block part;
        must(sct_matrix_create(rank->world, SCT_F64, layout, &rank->matrix[i]));
        must(sct_matrix_tile(rank->matrix[i], mine, SCT_HERE, &part));
        for (int64_t j = 0; j < part.rows * part.ld; j++)
            ((double *)part.data)[j] = 1;
    }
    sct_problem problem = {.size = sizeof problem,
                           .type = SCT_F64,
                           .a = layout,
                           .b = layout,
                           .c = layout,
                           .ranks = ranks};
    must(sct_plan_create(&problem, sct_world_rank(rank->world), NULL, &rank->plan));
    must(sct_job_create(rank->world, rank->plan, sct_whole(rank->matrix[A]),
                        sct_whole(rank->matrix[B]), sct_whole(rank->matrix[C]), &rank->job));
    sct_layout_destroy(layout);
}

static void copy_steps(struct rank *rank) {
    sct_cost cost;
    must(sct_plan_cost(rank->plan, &cost));
    rank->steps = cost.steps < STEPS ? cost.steps : STEPS;
    for (int64_t i = 0; i < rank->steps; i++) {
        sct_step step;
        must(sct_plan_step(rank->plan, i, &step));
        rank->block[i][A] = dense(step.m.count, step.k.count);
        rank->block[i][B] = dense(step.k.count, step.n.count);
        rank->block[i][C] = dense(step.m.count, step.n.count);
    }
}

static void run_jobs(struct rank *rank) {
    const double alpha = 1, beta = 0;
    for (int i = 0; i < JOBS; i++) {
        must(sct_job_start(rank->job, &alpha, &beta));
        must(sct_job_wait(rank->job));
    }
}

static void run_products(struct rank *rank) {
    const double alpha = 1;
    for (int i = 0; i < JOBS; i++)
        for (int64_t j = 0; j < rank->steps; j++) {
            const sct_block *block = rank->block[j];
            const double beta = j > 0;
            must(sct_gemm_local(SCT_F64, SCT_N, SCT_N, &alpha, &block[A], &block[B], &beta,
                                &block[C]));
        }
}

/* Collective: the microseconds that one of JOBS takes the slowest rank; on rank 0 alone. */
static double time_of(struct rank *rank, struct bench *bench, void (*work)(struct rank *rank)) {
    double slowest = 0;
    must(sct_world_barrier(rank->world));
    double start = now();
    work(rank);
    bench->slowest[sct_world_rank(rank->world)] = (now() - start) / JOBS;
    must(sct_world_barrier(rank->world));
    for (int i = 0; i < sct_world_size(rank->world); i++)
        if (bench->slowest[i] > slowest)
            slowest = bench->slowest[i];
    return slowest;
}

static void measure(struct rank *rank, struct bench *bench) {
    int first = sct_world_rank(rank->world) == 0;
    run_jobs(rank);
    for (int i = 0; i < ROUNDS; i++) {
        must(sct_world_barrier(rank->world));
        long before = atomic_load(&allocations);
        double job = time_of(rank, bench, run_jobs);
        long after = atomic_load(&allocations);
        double products = time_of(rank, bench, run_products);
        if (!first)
            continue;
        bench->job[i] = job;
        bench->products[i] = products;
        bench->allocations = after - before;
    }
}

static int work(sct_world *world, void *arg) {
    struct bench *bench = arg;
    struct rank *rank = calloc(1, sizeof *rank);
    if (!rank)
        exit(1);
    rank->world = world;
    bind_job(rank, bench->size);
    copy_steps(rank);
    measure(rank, bench);
    sct_job_destroy(rank->job);
    sct_plan_destroy(rank->plan);
    for (int i = 0; i < MATRICES; i++)
        sct_matrix_destroy(rank->matrix[i]);
    for (int64_t i = 0; i < rank->steps; i++)
        for (int j = 0; j < MATRICES; j++)
            free(rank->block[i][j].data);
    free(rank);
    return 0;
}

static int ascending(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median(double *numbers) {
    qsort(numbers, ROUNDS, sizeof *numbers, ascending);
    return numbers[ROUNDS / 2];
}

int main(int count, char **words) {
    int ranks = count > 1 ? atoi(words[1]) : 2;
    struct bench bench = {.size = count > 2 ? atoi(words[2]) : 64};
    double added[ROUNDS];
    bench.slowest = calloc(ranks > 0 ? (size_t)ranks : 1, sizeof *bench.slowest);
    if (!bench.slowest)
        return 1;
    must(sct_run(ranks, NULL, work, &bench));
    for (int i = 0; i < ROUNDS; i++)
        added[i] = bench.job[i] - bench.products[i];
    printf("job %.2f us, products %.2f us, added %.2f us, allocations %g\n", median(bench.job),
           median(bench.products), median(added), (double)bench.allocations / JOBS);
    free(bench.slowest);
    return 0;
}
