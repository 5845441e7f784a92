/* worlds.c - worlds on all kinds of communicators: whole, split, permuted, several at once, and
 * none. */
#include "support/check.h"
#include "whole/support/elements.h"

#include <sectile/sectile_mpi.h>

#include <pthread.h>
#include <string.h>

enum { M = 23, N = 19, K = 31, MOST = 4 };

/* Element (i, j) of the product of what the sources make. */
static double product_at(source a, source b, int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t l = 0; l < K; l++)
        sum += source_element(SCT_F64, a, i, l).re * source_element(SCT_F64, b, l, j).re;
    return sum;
}

typedef struct wanted {
    source a, b;
    int64_t wrong;
} wanted;

static void compare(void *context, int64_t row, int64_t col, void *at) {
    wanted *w = context;
    w->wrong += *(const double *)at != product_at(w->a, w->b, row, col);
}

static sct_matrix *make(sct_world *world, const char *text, int64_t rows, int64_t cols) {
    sct_layout *layout = layout_of(text, rows, cols, sct_world_size(world));
    sct_matrix *matrix = NULL;
    CHECK_CASE(sct_matrix_create(world, SCT_F64, layout, &matrix) == SCT_OK, "%s",
               sct_last_reason());
    sct_layout_destroy(layout);
    return matrix;
}

/* Multiplies in three unrelated layouts. */
static void multiply(sct_world *world, uint64_t seed) {
    wanted want = {.a = {seed, MOST}, .b = {seed + 1, MOST}};
    sct_matrix *a = make(world, "row", M, K), *b = make(world, "cyclic:3x2", K, N);
    sct_matrix *c = make(world, "col/f", M, N);
    double alpha = 1, beta = 0;
    matrix_fill(world, a, want.a);
    matrix_fill(world, b, want.b);
    CHECK_CASE(sct_multiply(SCT_N, SCT_N, &alpha, sct_whole(a), sct_whole(b), &beta, sct_whole(c),
                            NULL) == SCT_OK,
               "%s", sct_last_reason());
    matrix_visit(world, c, compare, &want);
    CHECK_CASE(want.wrong == 0, "%lld elements are wrong", (long long)want.wrong);
    sct_matrix_destroy(a);
    sct_matrix_destroy(b);
    sct_matrix_destroy(c);
}

static sct_world *open_world(MPI_Comm comm, int ranks_per_node) {
    sct_world_options options = {
        .size = sizeof options, .engine = "mpi", .ranks_per_node = ranks_per_node};
    sct_world *world = NULL;
    CHECK_CASE(sct_world_create_mpi(comm, &options, &world) == SCT_OK, "%s", sct_last_reason());
    return world;
}

static void check_world(sct_world *world, MPI_Comm comm) {
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    CHECK(sct_world_rank(world) == rank && sct_world_size(world) == ranks);
}

static void try_world(MPI_Comm comm, int ranks_per_node, uint64_t seed) {
    sct_world *world = open_world(comm, ranks_per_node);
    if (!world)
        return;
    check_world(world, comm);
    multiply(world, seed);
    sct_world_destroy(world);
}

/* Halves of the ranks, in reverse order; the communicator is gone before the world is used. */
static void try_split(uint64_t seed) {
    int rank, ranks;
    MPI_Comm half;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, ranks - rank, &half);
    sct_world *world = open_world(half, 0);
    check_world(world, half);
    MPI_Comm_free(&half);
    multiply(world, seed);
    sct_world_destroy(world);
}

/* Two worlds of the same ranks, and one of each rank alone, used in turns. */
static void try_several(uint64_t seed) {
    sct_world *first = open_world(MPI_COMM_WORLD, 0), *second = open_world(MPI_COMM_WORLD, 0);
    sct_world *alone = open_world(MPI_COMM_SELF, 0);
    for (uint64_t turn = 0; turn < 3; turn++) {
        multiply(first, seed + turn);
        multiply(alone, seed + turn);
        multiply(second, seed + turn);
    }
    sct_world_destroy(first);
    multiply(second, seed);
    sct_world_destroy(alone);
    sct_world_destroy(second);
}

typedef struct task {
    sct_world *world;
    uint64_t seed;
} task;

static void *multiply_often(void *arg) {
    const task *t = arg;
    for (uint64_t i = 0; i < 20; i++)
        multiply(t->world, t->seed + i);
    return NULL;
}

/* Two worlds, each the matter of one thread. */
static void try_threads(uint64_t seed) {
    task tasks[] = {{open_world(MPI_COMM_WORLD, 0), seed}, {open_world(MPI_COMM_WORLD, 1), seed}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, multiply_often, &tasks[i]) == 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        sct_world_destroy(tasks[i].world);
    }
}

/* What one rank asks for, all are told of. */
static void disagree(sct_world_options odd, sct_status expected, const char *word) {
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    sct_world_options options = {.size = sizeof options};
    sct_world *world = NULL;
    if (rank == ranks - 1)
        options = odd;
    options.size = sizeof options;
    sct_status status = sct_world_create_mpi(MPI_COMM_WORLD, &options, &world);
    CHECK_CASE(status == expected && !world && strstr(sct_last_reason(), word), "%s: %s (%s)", word,
               sct_status_name(status), sct_last_reason());
}

static void try_disagreeing(void) {
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    disagree((sct_world_options){.engine = "threads"}, SCT_NO_ENGINE, "\"threads\"");
    disagree((sct_world_options){.path = 7}, SCT_BAD_ARGUMENT, "path");
    if (ranks == 1)
        return;
    disagree((sct_world_options){.ranks_per_node = 1}, SCT_DISAGREE, "ranks_per_node=1");
    disagree((sct_world_options){.path = SCT_PATH_RMA}, SCT_DISAGREE, "path=2");
}

static void refuse(MPI_Comm comm, sct_status expected) {
    sct_world *world = NULL;
    sct_status status = sct_world_create_mpi(comm, NULL, &world);
    CHECK_CASE(status == expected && !world, "%s (%s)", sct_status_name(status), sct_last_reason());
}

/* Of the even ranks, to the odd ones. */
static void refuse_between(void) {
    int rank, ranks;
    MPI_Comm half, between;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks == 1)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &between);
    refuse(between, SCT_BAD_ARGUMENT);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv) {
    int level;
    refuse(MPI_COMM_WORLD, SCT_NO_ENGINE);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    uint64_t seed = check_seed(1);
    refuse(MPI_COMM_NULL, SCT_BAD_ARGUMENT);
    refuse_between();
    try_world(MPI_COMM_WORLD, 0, seed);
    try_split(seed);
    try_several(seed);
    try_disagreeing();
    if (CHECK(level == MPI_THREAD_MULTIPLE))
        try_threads(seed);
    MPI_Finalize();
    refuse(MPI_COMM_WORLD, SCT_NO_ENGINE);
    return check_report("worlds");
}
