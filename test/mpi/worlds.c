/* worlds.c - worlds on all kinds of communicators: MPI_COMM_WORLD, split, permuted, several at
 * once, and invalid ones. */
#include "support/check.h"
#include "whole/support/elements.h"

#include <sectile/sectile_mpi.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { M = 23, N = 19, K = 31, MOST = 4, REASON = 300 };

/* Element (i, j) of the product of the two sources. */
static double product_at(source a, source b, int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t l = 0; l < K; l++)
        sum += source_element(SCT_F64, a, i, l).re * source_element(SCT_F64, b, l, j).re;
    return sum;
}

/* The sources of A and B. */
typedef struct factors {
    source a, b;
} factors;

static element wanted(const void *context, int64_t row, int64_t col) {
    const factors *of = context;
    return (element){product_at(of->a, of->b, row, col), 0};
}

/* Multiplies with three unrelated layouts. */
static void multiply(sct_world *world, uint64_t seed) {
    const factors of = {.a = {seed, MOST}, .b = {seed + 1, MOST}};
    sct_matrix *a = matrix_new(world, SCT_F64, "row", M, K),
               *b = matrix_new(world, SCT_F64, "cyclic:3x2", K, N);
    sct_matrix *c = matrix_new(world, SCT_F64, "col/f", M, N);
    double alpha = 1, beta = 0;
    matrix_fill(world, a, of.a);
    matrix_fill(world, b, of.b);
    CHECK_CASE(sct_multiply(SCT_N, SCT_N, &alpha, sct_whole(a), sct_whole(b), &beta, sct_whole(c),
                            NULL) == SCT_OK,
               "%s", sct_last_reason());
    int64_t wrong = matrix_count_unlike(world, c, wanted, &of);
    CHECK_CASE(wrong == 0, "%lld elements are wrong", (long long)wrong);
    sct_matrix_destroy(a);
    sct_matrix_destroy(b);
    sct_matrix_destroy(c);
}

/* A world on each half of the ranks at the same time, again and again, with one rank per node. If
 * the RMA of the MPI does not suffice, a world that insists on it is refused; the other paths must
 * work. */
static void try_halves(sct_path path, uint64_t seed) {
    int rank;
    MPI_Comm half;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    sct_world_options options = {
        .size = sizeof options,
        .engine_options =
            &(sct_processes_options){.size = sizeof(sct_processes_options), .ranks_per_node = 1},
        .path = path};
    for (int turn = 0; turn < 15; turn++) {
        sct_world *world = NULL;
        sct_status status = sct_world_create_mpi(half, &options, &world);
        if (path == SCT_PATH_RMA && status == SCT_NO_ENGINE)
            break;
        if (!CHECK_CASE(status == SCT_OK, "path %d: %s", (int)path, sct_last_reason()))
            break;
        multiply(world, seed);
        sct_world_destroy(world);
    }
    MPI_Comm_free(&half);
}

static sct_world *open_world(MPI_Comm comm, int ranks_per_node) {
    sct_world_options options = {.size = sizeof options,
                                 .engine = "mpi",
                                 .engine_options =
                                     &(sct_processes_options){.size = sizeof(sct_processes_options),
                                                              .ranks_per_node = ranks_per_node}};
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

/* A world on each half of the ranks in reverse order. The communicator is freed before the world is
 * used. */
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

/* The last rank passes a matrix of another world as A, B or C: all ranks get the error. */
static void mix_worlds(int ranks_per_node) {
    double one = 1;
    sct_world *world = open_world(MPI_COMM_WORLD, ranks_per_node);
    sct_world *other = open_world(MPI_COMM_WORLD, 0);
    bool odd = sct_world_rank(world) == sct_world_size(world) - 1;
    sct_matrix *matrix[] = {
        matrix_new(world, SCT_F64, "row", M, M), matrix_new(world, SCT_F64, "col", M, M),
        matrix_new(world, SCT_F64, "2d", M, M), matrix_new(other, SCT_F64, "row", M, M)};
    for (int i = 0; i < 3; i++) {
        sct_view view[3];
        for (int j = 0; j < 3; j++)
            view[j] = sct_whole(matrix[odd && i == j ? 3 : j]);
        sct_status status = sct_multiply(SCT_N, SCT_N, &one, view[0], view[1], &one, view[2], NULL);
        CHECK_CASE(status == SCT_BAD_ARGUMENT && strstr(sct_last_reason(), "another world"),
                   "%d of another world: %s (%s)", i, sct_status_name(status), sct_last_reason());
    }
    for (int i = 0; i < 4; i++)
        sct_matrix_destroy(matrix[i]);
    sct_world_destroy(world);
    sct_world_destroy(other);
}

/* Two worlds of all ranks and one of each rank alone, used in turn. */
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

/* One rank has a limit on the size of files. Shared memory is a file, so creating it fails there;
 * memory that no other rank maps is none, and is created. */
static void try_limited(int ranks_per_node, uint64_t seed) {
    struct rlimit before, less;
    sct_world *world = open_world(MPI_COMM_WORLD, ranks_per_node);
    int ranks = sct_world_size(world);
    sct_layout *layout = layout_of("row", (int64_t)ranks << 10, 1 << 8, ranks);
    sct_matrix *matrix = NULL;
    getrlimit(RLIMIT_FSIZE, &before);
    less = before;
    if (sct_world_rank(world) == ranks - 1)
        less.rlim_cur = 1 << 20;
    setrlimit(RLIMIT_FSIZE, &less);
    sct_status status = sct_matrix_create(world, SCT_F64, layout, &matrix);
    setrlimit(RLIMIT_FSIZE, &before);
    if (ranks_per_node == 1 || ranks == 1)
        CHECK_CASE(status == SCT_OK, "%s (%s)", sct_status_name(status), sct_last_reason());
    else
        CHECK_CASE(status == SCT_FAILED && strstr(sct_last_reason(), "limit on the size of files"),
                   "%s (%s)", sct_status_name(status), sct_last_reason());
    sct_matrix_destroy(matrix);
    sct_layout_destroy(layout);
    multiply(world, seed);
    sct_world_destroy(world);
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

/* Two worlds, each used by one thread. */
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

/* The last rank passes other options; all ranks get the error. */
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

/* One rank passes no place for the world. */
static void forget_place(int rank, int ranks) {
    sct_world *world = NULL;
    bool odd = rank == ranks - 1;
    sct_status status = sct_world_create_mpi(MPI_COMM_WORLD, NULL, odd ? NULL : &world);
    CHECK_CASE(status == SCT_BAD_ARGUMENT && !world &&
                   strstr(sct_last_reason(), "output pointer 'world' is NULL"),
               "%s (%s)", sct_status_name(status), sct_last_reason());
}

static void try_disagreeing(void) {
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    forget_place(rank, ranks);
    disagree((sct_world_options){.engine = "threads"}, SCT_NO_ENGINE, "\"threads\"");
    disagree((sct_world_options){.path = 7}, SCT_BAD_ARGUMENT, "path");
    if (ranks == 1)
        return;
    disagree((sct_world_options){.engine_options =
                                     &(sct_processes_options){.size = sizeof(sct_processes_options),
                                                              .ranks_per_node = 1}},
             SCT_DISAGREE, "ranks_per_node=1");
    disagree((sct_world_options){.path = SCT_PATH_RMA}, SCT_DISAGREE, "path=2");
}

static void refuse(MPI_Comm comm, sct_status expected) {
    sct_world *world = NULL;
    sct_status status = sct_world_create_mpi(comm, NULL, &world);
    CHECK_CASE(status == expected && !world, "%s (%s)", sct_status_name(status), sct_last_reason());
}

/* An intercommunicator between the even and the odd ranks. */
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

/* ---- Warnings ---- */

static void note(void *last, sct_log_level level, int rank, const char *text) {
    CHECK(level == SCT_LOG_WARNING && rank == 0);
    snprintf(last, REASON, "%s", text);
}

/* Makes a world, and checks what it warns of; NULL: of nothing. */
static void expect_warning(MPI_Comm comm, const char *warning) {
    char last[REASON] = "";
    sct_world *world;
    CHECK(sct_log(SCT_LOG_WARNING, note, last) == SCT_OK);
    sct_status status = sct_world_create_mpi(comm, NULL, &world);
    CHECK(sct_log(SCT_LOG_WARNING, NULL, NULL) == SCT_OK);
    if (!CHECK(status == SCT_OK))
        return;
    sct_world_destroy(world);
    CHECK_CASE(warning ? strncmp(last, warning, strlen(warning)) == 0 : last[0] == '\0',
               "warned of '%s', not '%s'", last, warning ? warning : "");
}

/* Without a function of the program, a warning is a line on stderr. */
static void expect_line(MPI_Comm alone) {
    const char begin[] = "sectile: warning: WORLD_SIZE says";
    char line[400] = "";
    int ends[2], before = dup(STDERR_FILENO);
    sct_world *world;
    CHECK(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
    sct_status status = sct_world_create_mpi(alone, NULL, &world);
    dup2(before, STDERR_FILENO);
    close(before);
    close(ends[1]);
    CHECK(status == SCT_OK && read(ends[0], line, sizeof line - 1) > 0);
    close(ends[0]);
    sct_world_destroy(world);
    CHECK_CASE(strncmp(line, begin, strlen(begin)) == 0 &&
                   strchr(line, '\n') == strrchr(line, '\n'),
               "%s", line);
}

/* The MPI's own launcher says that there are two processes, but they have not found each other. */
static void try_lost(MPI_Comm alone) {
    const char *variable = getenv("OMPI_COMM_WORLD_SIZE") ? "OMPI_COMM_WORLD_SIZE" : "PMI_SIZE";
    char begin[120];
    snprintf(begin, sizeof begin,
             "%s says that this is one of 2 processes, but its communicator has no other",
             variable);
    setenv(variable, "2", 1);
    expect_warning(MPI_COMM_WORLD, begin);
    expect_warning(alone, NULL);
    setenv(variable, "1", 1);
    setenv("FLUX_JOB_SIZE", "abc", 1);
    expect_warning(alone, "FLUX_JOB_SIZE: 'abc' is not a whole number from 1 to ");
    unsetenv("FLUX_JOB_SIZE");
}

/* A launcher that this MPI does not know says that there are several processes: the world of one
 * warns, unless it is meant, as is a communicator of one process under the MPI's own launcher. */
static void try_warnings(void) {
    MPI_Comm alone;
    MPI_Comm_dup(MPI_COMM_SELF, &alone);
    expect_warning(alone, NULL);
    setenv("TORCHELASTIC_RUN_ID", "none", 1);
    setenv("RANK", "0", 1);
    setenv("WORLD_SIZE", "1", 1);
    expect_warning(alone, NULL);
    setenv("WORLD_SIZE", "4", 1);
    expect_warning(alone, "WORLD_SIZE says that this is one of 4 processes, but its communicator "
                          "has no other");
    expect_warning(MPI_COMM_SELF, NULL);
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > 1)
        expect_warning(MPI_COMM_WORLD, NULL);
    expect_line(alone);
    setenv("SECTILE_LAUNCHER", "none", 1);
    expect_warning(alone, NULL);
    unsetenv("SECTILE_LAUNCHER");
    unsetenv("TORCHELASTIC_RUN_ID");
    unsetenv("RANK");
    unsetenv("WORLD_SIZE");
    if (ranks == 1)
        try_lost(alone);
    MPI_Comm_free(&alone);
}

/* PMIx has started this process, but its MPI has not found it. That is no warning for a process
 * that such a process has started, nor where that is meant. */
static int lost(bool warned) {
    int level;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    expect_warning(MPI_COMM_WORLD, warned ? "PMIX_RANK says that this is one of " : NULL);
    expect_warning(MPI_COMM_SELF, NULL);
    setenv("SECTILE_LAUNCHER", "none", 1);
    expect_warning(MPI_COMM_WORLD, NULL);
    unsetenv("SECTILE_LAUNCHER");
    unsetenv("PMIX_RANK");
    setenv("PALS_RANKID", "0", 1);
    expect_warning(MPI_COMM_WORLD, "PALS_RANKID says that this is one of several processes");
    MPI_Finalize();
    return check_report("worlds");
}

int main(int argc, char **argv) {
    int level;
    if (argc > 1)
        return lost(strcmp(argv[1], "lost") == 0);
    refuse(MPI_COMM_WORLD, SCT_NO_ENGINE);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    uint64_t seed = check_seed(1);
    refuse(MPI_COMM_NULL, SCT_BAD_ARGUMENT);
    refuse_between();
    try_world(MPI_COMM_WORLD, 0, seed);
    try_split(seed);
    for (int path = SCT_PATH_AUTO; path <= SCT_PATH_SOCKETS; path++)
        try_halves((sct_path)path, seed);
    try_several(seed);
    for (int ranks_per_node = 0; ranks_per_node < 2; ranks_per_node++) {
        mix_worlds(ranks_per_node);
        try_limited(ranks_per_node, seed);
    }
    try_disagreeing();
    try_warnings();
    if (CHECK(level == MPI_THREAD_MULTIPLE))
        try_threads(seed);
    MPI_Finalize();
    refuse(MPI_COMM_WORLD, SCT_NO_ENGINE);
    return check_report("worlds");
}
