/* failing_calls.c - the n-th allocation of one rank, or the n-th call of some MPI function on all
 * ranks, fails, for n = 1, 2, ... until there is no n-th. All ranks get the error, or all manage
 * without; none waits forever, and the next attempt works. */
#include "faults/fault.h"
#include "support/check.h"
#include "whole/support/alloc_faults.h"
#include "whole/support/elements.h"

#include <sectile/sectile_mpi.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* MOST exceeds the number of any such calls in one run. */
enum { SIZE = 12, MOST = 500, LIMIT = 300 };

/* ---- Calls that fail ---- */

/* The MPI function of which a call on this rank fails, and which call. */
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

/* ---- One run: a world from its creation to its end ---- */

typedef struct scenario {
    sct_world_options options;
    bool wraps, multiplies, differs;
    sct_layout *layout[3];
} scenario;

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

/* A is stationary: B is got, and C is accumulated at its owners. */
static sct_status multiply(sct_world *world, sct_matrix *const matrix[3]) {
    double one = 1, zero = 0;
    sct_options options = {.size = sizeof options, .stay = SCT_STAY_A};
    for (int i = 0; i < 3; i++)
        matrix_write(world, matrix[i], set_one, NULL);
    sct_status status = sct_multiply(SCT_N, SCT_N, &one, sct_whole(matrix[0]), sct_whole(matrix[1]),
                                     &zero, sct_whole(matrix[2]), &options);
    if (!status)
        matrix_read(world, matrix[2], check_sum, NULL);
    return status;
}

/* Ranks pass different factors. They get SCT_DISAGREE, unless the comparison itself fails. */
static sct_status differ(sct_world *world, sct_matrix *const matrix[3]) {
    double alpha = sct_world_rank(world), zero = 0;
    sct_status status = sct_multiply(SCT_N, SCT_N, &alpha, sct_whole(matrix[0]),
                                     sct_whole(matrix[1]), &zero, sct_whole(matrix[2]), NULL);
    CHECK(status != SCT_OK);
    CHECK_CASE(status != SCT_DISAGREE ||
                   strstr(sct_last_reason(), "alpha=1, but rank 0 for alpha=0"),
               "%s", sct_last_reason());
    return status == SCT_DISAGREE ? SCT_OK : status;
}

/* The first failure ends the run. */
static sct_status run_scenario(const scenario *l) {
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

/* ---- All ranks must get the same result ---- */

/* Returns whether the n-th call existed on any rank. */
static bool all_agree(const char *what, long n, bool reached, sct_status status) {
    int mine[3] = {reached, status != SCT_OK, status == SCT_OK}, any[3];
    MPI_Allreduce(mine, any, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK_CASE(any[1] != any[2], "%s %ld: %s here, and not on all ranks", what, n,
               status ? sct_last_reason() : "well");
    CHECK_CASE(any[0] || !any[1], "%s %ld: %s, though nothing failed", what, n,
               status ? sct_last_reason() : "well");
    return any[0];
}

static bool fail_allocation(const scenario *l, int victim, long n) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    alloc_countdown = rank == victim ? n - 1 : -1;
    sct_status status = run_scenario(l);
    bool reached = rank == victim && alloc_countdown < 0;
    alloc_countdown = -1;
    return all_agree("memory", n, reached, status);
}

static bool fail_call(const scenario *l, const char *call, long n) {
    broken.call = call;
    broken.left = n;
    sct_status status = run_scenario(l);
    bool reached = broken.left <= 0;
    broken.call = "";
    return all_agree(call, n, reached, status);
}

static void fail_calls(const scenario *l, const char *const *calls, size_t count) {
    for (size_t i = 0; i < count; i++) {
        long n = 1;
        while (n < MOST && fail_call(l, calls[i], n))
            n++;
        CHECK_CASE(n > 1 && n < MOST, "%s: %ld calls", calls[i], n);
    }
}

static void fail_memory(const scenario *l, int victim) {
    long n = 1;
    while (n < MOST && fail_allocation(l, victim, n))
        n++;
    CHECK_CASE(n > 1 && n < MOST, "memory: %ld times", n);
}

static void fail_each(void) {
    static const char *const collectives[] = {"MPI_Comm_test_inter", "MPI_Comm_idup",
                                              "MPI_Iallgather", "MPI_Iallreduce"};
    static const char *const windows[] = {
        "MPI_Win_create_nowhere",  "MPI_Win_lock_all", "MPI_Get",      "MPI_Accumulate",
        "MPI_Type_create_hvector", "MPI_Type_commit",  "MPI_Win_flush"};
    /* These are called when a world tries out RMA. */
    static const char *const at_creation[] = {"MPI_Win_get_attr", "MPI_Get_lost",
                                              "MPI_Accumulate_lost"};
    scenario near = {.multiplies = true}, near_wrapped = {.wraps = true}, service = {.wraps = true},
             sockets = {.wraps = true}, rma = {.multiplies = true};
    scenario *const scenarios[] = {&near, &near_wrapped, &service, &sockets, &rma};
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    service.differs = true;
    service.options = (sct_world_options){
        .engine_options =
            &(sct_processes_options){.size = sizeof(sct_processes_options), .ranks_per_node = 1},
        .path = SCT_PATH_SERVICE};
    sockets.differs = true;
    sockets.options = (sct_world_options){
        .engine_options =
            &(sct_processes_options){.size = sizeof(sct_processes_options), .ranks_per_node = 1},
        .path = SCT_PATH_SOCKETS};
    rma.options = (sct_world_options){
        .engine_options =
            &(sct_processes_options){.size = sizeof(sct_processes_options), .ranks_per_node = 1},
        .path = SCT_PATH_RMA};
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        scenarios[i]->options.size = sizeof scenarios[i]->options;
        for (int m = 0; m < 3; m++)
            scenarios[i]->layout[m] = layout_of(m < 2 ? "row" : "col", SIZE, SIZE, ranks);
        fail_memory(scenarios[i], (int)i % 2);
    }
    fail_calls(&service, collectives, sizeof collectives / sizeof *collectives);
    fail_calls(&rma, windows, sizeof windows / sizeof *windows);
    for (size_t i = 0; i < sizeof at_creation / sizeof *at_creation; i++)
        CHECK_CASE(fail_call(&rma, at_creation[i], 1), "%s: not called", at_creation[i]);
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        for (int m = 0; m < 3; m++)
            sct_layout_destroy(scenarios[i]->layout[m]);
}

int main(int argc, char **argv) {
    int level;
    alarm(LIMIT);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    fail_each();
    MPI_Finalize();
    return check_report("failing_calls");
}
