/* failing.c - what a rank asks for fails: the n-th time that one wants memory, or that all make
 * some call of MPI, for n = 1, 2, ... until there is no n-th. All ranks are told, or do without;
 * none waits for ever, and the next time it works. */
#include "faults/fault.h"
#include "support/check.h"
#include "whole/support/elements.h"
#include "whole/support/scarce.h"

#include <sectile/sectile_mpi.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* MOST: more of anything than a life has. */
enum { SIZE = 12, MOST = 500, LIMIT = 100 };

/* ---- What fails ---- */

/* The call of this rank's own thread that is to fail. */
static struct {
    const char *call;
    long left;
} broken = {"", 0};

bool fault_due(const char *kind, const char *call, const void *caller) {
    (void)kind;
    (void)caller;
    return strcmp(call, broken.call) == 0 && --broken.left == 0;
}

bool fault_lasts(void) {
    return false;
}

void *__real_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t from);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t from);
int __real_madvise(void *memory, size_t bytes, int advice);
int __wrap_madvise(void *memory, size_t bytes, int advice);

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t from) {
    return scarce_fails() ? MAP_FAILED : __real_mmap(at, bytes, protection, flags, file, from);
}

int __wrap_madvise(void *memory, size_t bytes, int advice) {
    bool fails = scarce_fails();
    int code = __real_madvise(memory, bytes, advice);
    if (fails)
        errno = ENOMEM;
    return fails ? -1 : code;
}

/* ---- A life ---- */

typedef struct life {
    sct_world_options options;
    bool wraps, multiplies, differs;
    sct_layout *layout[3];
} life;

static void set_one(void *context, int64_t row, int64_t col, void *at) {
    (void)context;
    (void)row;
    (void)col;
    *(double *)at = 1;
}

static void check_sum(void *context, int64_t row, int64_t col, void *at) {
    (void)context;
    CHECK_CASE(*(double *)at == SIZE, "(%d, %d) is %g", (int)row, (int)col, *(double *)at);
}

/* What moves is got, and added to where it belongs. */
static sct_status multiply(sct_world *world, sct_matrix *const matrix[3]) {
    double one = 1, zero = 0;
    sct_options options = {.size = sizeof options, .stay = SCT_STAY_A};
    for (int i = 0; i < 3; i++)
        matrix_visit(world, matrix[i], set_one, NULL);
    sct_status status = sct_multiply(SCT_N, SCT_N, &one, sct_whole(matrix[0]), sct_whole(matrix[1]),
                                     &zero, sct_whole(matrix[2]), &options);
    if (!status)
        matrix_visit(world, matrix[2], check_sum, NULL);
    return status;
}

/* What ranks are asked for differs, and so they are told, unless they cannot compare it. */
static sct_status differ(sct_world *world, sct_matrix *const matrix[3]) {
    double alpha = sct_world_rank(world), zero = 0;
    sct_status status = sct_multiply(SCT_N, SCT_N, &alpha, sct_whole(matrix[0]),
                                     sct_whole(matrix[1]), &zero, sct_whole(matrix[2]), NULL);
    CHECK(status != SCT_OK);
    CHECK_CASE(status != SCT_DISAGREE || strstr(sct_last_reason(), "alpha=1, rank 0 for alpha=0"),
               "%s", sct_last_reason());
    return status == SCT_DISAGREE ? SCT_OK : status;
}

/* The first failure ends it. */
static sct_status live(const life *l) {
    static double memory[3][SIZE * SIZE];
    sct_world *world = NULL;
    sct_matrix *matrix[3] = {NULL};
    sct_status status = sct_world_create_mpi(MPI_COMM_WORLD, &l->options, &world);
    for (int i = 0; i < 3 && !status; i++)
        status = l->wraps ? sct_matrix_wrap(world, SCT_F64, l->layout[i], memory[i], 0, &matrix[i])
                          : sct_matrix_create(world, SCT_F64, l->layout[i], &matrix[i]);
    if (!status && l->multiplies)
        status = multiply(world, matrix);
    if (!status && l->differs)
        status = differ(world, matrix);
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(matrix[i]);
    sct_world_destroy(world);
    return status;
}

/* ---- All come to the same end ---- */

/* Whether what was to fail was there on any rank. */
static bool all_agree(const char *what, long n, bool reached, sct_status status) {
    int mine[3] = {reached, status != SCT_OK, status == SCT_OK}, any[3];
    MPI_Allreduce(mine, any, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK_CASE(any[1] != any[2], "%s %ld: %s here, and not on all ranks", what, n,
               status ? sct_last_reason() : "well");
    CHECK_CASE(any[0] || !any[1], "%s %ld: %s, though nothing failed", what, n,
               status ? sct_last_reason() : "well");
    return any[0];
}

static bool lacks_memory(const life *l, int victim, long n) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    scarce_left = rank == victim ? n - 1 : -1;
    if (getenv("SAY"))
        fprintf(stderr, "%ld\n", n);
    sct_status status = live(l);
    bool reached = rank == victim && scarce_left < 0;
    scarce_left = -1;
    return all_agree("memory", n, reached, status);
}

static bool lacks_call(const life *l, const char *call, long n) {
    broken.call = call;
    broken.left = n;
    if (getenv("SAY"))
        fprintf(stderr, "%ld\n", n);
    sct_status status = live(l);
    bool reached = broken.left <= 0;
    broken.call = "";
    return all_agree(call, n, reached, status);
}

static void fail_calls(const life *l, const char *const *calls, size_t count) {
    for (size_t i = 0; i < count; i++) {
        long n = 1;
        while (n < MOST && lacks_call(l, calls[i], n))
            n++;
        CHECK_CASE(n > 1 && n < MOST, "%s: %ld calls", calls[i], n);
    }
}

static void fail_memory(const life *l, int victim) {
    long n = 1;
    while (n < MOST && lacks_memory(l, victim, n))
        n++;
    CHECK_CASE(n > 1 && n < MOST, "memory: %ld times", n);
}

static void fail_each(void) {
    static const char *const meet[] = {"MPI_Comm_test_inter", "MPI_Comm_idup", "MPI_Iallgather",
                                       "MPI_Iallreduce"};
    static const char *const windows[] = {"MPI_Win_create_nowhere", "MPI_Get",
                                          "MPI_Accumulate",         "MPI_Type_create_hvector",
                                          "MPI_Type_commit",        "MPI_Win_flush"};
    /* Where windows are tried. */
    static const char *const first[] = {"MPI_Win_get_attr", "MPI_Win_lock_all", "MPI_Get_lost",
                                        "MPI_Accumulate_lost"};
    life near = {.multiplies = true}, late = {.wraps = true}, service = {.wraps = true},
         sockets = {.wraps = true}, rma = {.multiplies = true};
    life *const lives[] = {&near, &late, &service, &sockets, &rma};
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    service.differs = true;
    service.options = (sct_world_options){.ranks_per_node = 1, .path = SCT_PATH_SERVICE};
    sockets.differs = true;
    sockets.options = (sct_world_options){.ranks_per_node = 1, .path = SCT_PATH_SOCKETS};
    rma.options = (sct_world_options){.ranks_per_node = 1, .path = SCT_PATH_RMA};
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++) {
        lives[i]->options.size = sizeof lives[i]->options;
        for (int m = 0; m < 3; m++)
            lives[i]->layout[m] = layout_of(m < 2 ? "row" : "col", SIZE, SIZE, ranks);
        fail_memory(lives[i], (int)i % 2);
    }
    fail_calls(&service, meet, sizeof meet / sizeof *meet);
    fail_calls(&rma, windows, sizeof windows / sizeof *windows);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        CHECK_CASE(lacks_call(&rma, first[i], 1), "%s: not called", first[i]);
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++)
        for (int m = 0; m < 3; m++)
            sct_layout_destroy(lives[i]->layout[m]);
}

int main(int argc, char **argv) {
    int level;
    alarm(LIMIT);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    fail_each();
    MPI_Finalize();
    return check_report("failing");
}
