/* overhead.c - what a product costs beside its arithmetic: as a job that is started again, as a
 * call of sct_multiply that was made before, and as one that must be planned.
 *
 *     OPENBLAS_NUM_THREADS=1 overhead RANKS SIZE
 *
 * prints for a product of SIZE^3 how many microseconds each of these takes, how many more that is
 * than its steps alone, and how often it allocates memory. Each is the median of some rounds, which
 * take turns. */
#include <sectile/sectile.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 15, TIMES = 2000, STEPS = 1024 };
enum { SETS = 5, KEPT = 4 }; /* products in turns; the world keeps fewer */

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
enum { JOB, REPEATED, PLANNED, WAYS };

struct bench {
    int64_t size;
    double taken[WAYS][ROUNDS], added[WAYS][ROUNDS]; /* microseconds, of the slowest rank */
    double *slowest;                                 /* of each rank */
    long allocations[WAYS];                          /* in the last round */
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

static void make_matrices(struct rank *rank, int64_t size, sct_matrix **matrix) {
    sct_layout *layout;
    sct_tile mine = {sct_world_rank(rank->world), 0};
    must(sct_layout_create_row(size, size, sct_world_size(rank->world), &layout));
    for (int i = 0; i < MATRICES; i++) {
        sct_block part;
        must(sct_matrix_create(rank->world, SCT_F64, layout, &matrix[i]));
        must(sct_matrix_tile(matrix[i], mine, SCT_HERE, &part));
        for (int64_t j = 0; j < part.rows * part.ld; j++)
            ((double *)part.data)[j] = 1;
    }
    sct_layout_destroy(layout);
}

static void bind_job(struct rank *rank) {
    sct_matrix **matrix = rank->matrix;
    const sct_layout *layout = sct_matrix_layout(matrix[A]);
    sct_problem problem = {.size = sizeof problem,
                           .type = SCT_F64,
                           .a = layout,
                           .b = layout,
                           .c = layout,
                           .ranks = sct_world_size(rank->world)};
    must(sct_plan_create(&problem, sct_world_rank(rank->world), NULL, &rank->plan));
    must(sct_job_create(rank->world, rank->plan, sct_whole(matrix[A]), sct_whole(matrix[B]),
                        sct_whole(matrix[C]), &rank->job));
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

static void run_job(struct rank *rank, int round) {
    const double alpha = 1, beta = 0;
    (void)round;
    must(sct_job_start(rank->job, &alpha, &beta));
    must(sct_job_wait(rank->job));
}

static void multiply(sct_matrix **matrix, const sct_options *options) {
    const double alpha = 1, beta = 0;
    must(sct_multiply(SCT_N, SCT_N, &alpha, sct_whole(matrix[A]), sct_whole(matrix[B]), &beta,
                      sct_whole(matrix[C]), options));
}

static void multiply_again(struct rank *rank, int round) {
    (void)round;
    multiply(rank->matrix, NULL);
}

/* With another limit of workspace each time, so that the plan of none serves another. */
static void multiply_others(struct rank *rank, int round) {
    const sct_options options = {.size = sizeof options,
                                 .workspace = ((size_t)1 << 30) + (size_t)(round % SETS)};
    multiply(rank->matrix, &options);
}

static void run_steps(struct rank *rank, int round) {
    const double alpha = 1;
    (void)round;
    for (int64_t j = 0; j < rank->steps; j++) {
        const sct_block *block = rank->block[j];
        const double beta = j > 0;
        must(sct_gemm_local(SCT_F64, SCT_N, SCT_N, &alpha, &block[A], &block[B], &beta, &block[C]));
    }
}

typedef void way(struct rank *rank, int round);

/* Collective: the microseconds that one of TIMES takes the slowest rank; on rank 0 alone. */
static double time_of(struct rank *rank, struct bench *bench, way *run) {
    double slowest = 0;
    must(sct_world_barrier(rank->world));
    double start = now();
    for (int i = 0; i < TIMES; i++)
        run(rank, i);
    bench->slowest[sct_world_rank(rank->world)] = (now() - start) / TIMES;
    must(sct_world_barrier(rank->world));
    for (int i = 0; i < sct_world_size(rank->world); i++)
        if (bench->slowest[i] > slowest)
            slowest = bench->slowest[i];
    return slowest;
}

static void measure(struct rank *rank, struct bench *bench) {
    static way *const ways[WAYS] = {run_job, multiply_again, multiply_others};
    int first = sct_world_rank(rank->world) == 0;
    for (int i = -1; i < ROUNDS; i++) /* the first is not counted */
        for (int j = 0; j < WAYS; j++) {
            must(sct_world_barrier(rank->world));
            long before = atomic_load(&allocations);
            double taken = time_of(rank, bench, ways[j]);
            long after = atomic_load(&allocations);
            double steps = time_of(rank, bench, run_steps);
            if (!first || i < 0)
                continue;
            bench->taken[j][i] = taken;
            bench->added[j][i] = taken - steps;
            bench->allocations[j] = after - before;
        }
}

static int work(sct_world *world, void *arg) {
    struct bench *bench = arg;
    struct rank *rank = calloc(1, sizeof *rank);
    if (!rank)
        exit(1);
    rank->world = world;
    make_matrices(rank, bench->size, rank->matrix);
    bind_job(rank);
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
    static const char *const names[WAYS] = {"job", "repeated", "planned"};
    int ranks = count > 1 ? atoi(words[1]) : 2;
    struct bench bench = {.size = count > 2 ? atoi(words[2]) : 64};
    bench.slowest = calloc(ranks > 0 ? (size_t)ranks : 1, sizeof *bench.slowest);
    if (!bench.slowest)
        return 1;
    const sct_world_options world = {.size = sizeof world, .recent_calls = KEPT};
    must(sct_run(ranks, &world, work, &bench));
    for (int i = 0; i < WAYS; i++)
        printf("%-8s %7.2f us, added %7.2f us, allocations %g\n", names[i], median(bench.taken[i]),
               median(bench.added[i]), (double)bench.allocations[i] / TIMES);
    free(bench.slowest);
    return 0;
}
