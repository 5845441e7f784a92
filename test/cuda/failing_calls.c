/* failing_calls.c - each call of CUDA and cuBLAS fails in turn, with all further ones of its kind:
 * the ranks end with a reason, and leave nothing behind. */
#include "cuda/stand_in.h"
#include "support/check.h"
#include "whole/support/elements.h"

#include <string.h>

enum { RANKS = 2, SIZE = 24, LAST_WAITS = 8, LAST_EVENTS = 20 };

typedef struct fault {
    stand_in_call call;
    int number;
} fault;

static int multiply(sct_world *world, void *arg) {
    static const char *const layouts[] = {"cyclic:5x5", "row", "col"};
    sct_options options = {.size = sizeof options, .stay = SCT_STAY_A};
    const float one = 1;
    (void)arg;
    sct_matrix *matrix[3] = {NULL};
    sct_status status = SCT_OK;
    for (int i = 0; i < 3 && !status; i++) {
        sct_layout *layout = layout_of(layouts[i], SIZE, SIZE, RANKS);
        status = sct_matrix_create(world, SCT_BF16, layout, &matrix[i]);
        sct_layout_destroy(layout);
    }
    if (!status)
        status = sct_multiply(SCT_N, SCT_T, &one, sct_whole(matrix[0]), sct_whole(matrix[1]), &one,
                              sct_whole(matrix[2]), &options);
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(matrix[i]);
    return status;
}

static sct_status run(stand_in_machine machine, fault f) {
    sct_world_options world = {.size = sizeof world, .engine = "cuda"};
    stand_in_start(machine);
    stand_in_fail(f.call, f.number);
    return sct_run(RANKS, &world, multiply, NULL);
}

static void test(stand_in_machine machine, fault f) {
    sct_status status = run(machine, f);
    /* No one is told of the last waits, when all is closed. A query that fails counts as done, and
     * what belongs to the host is hardly asked. */
    bool event = f.call == CALL_EVENT_CREATE || f.call == CALL_EVENT_RECORD;
    bool told = f.call != CALL_QUERY && f.call != CALL_ATTRIBUTES &&
                !(f.call == CALL_SYNCHRONIZE && f.number > LAST_WAITS) &&
                !(event && f.number > LAST_EVENTS);
    CHECK_CASE(status != SCT_OK || !stand_in_failed() || !told,
               "call %d fails at %d, and no one notices", (int)f.call, f.number);
    CHECK(status == SCT_OK || sct_last_reason()[0] != '\0');
    CHECK(status == SCT_OK || stand_in_failed());
    stand_in_end();
}

/* Without a failure, for how often each call is made. */
static void count_calls(stand_in_machine machine, int64_t counts[CALLS]) {
    CHECK(run(machine, (fault){CALL_NONE, 0}) == SCT_OK);
    for (int call = 0; call < CALLS; call++)
        counts[call] = stand_in_count((stand_in_call)call);
    stand_in_end();
}

/* Where the matrix is memory of the host, a device adds up a copy of it, for which it may have no
 * room. */
static int reduce(sct_world *world, void *arg) {
    enum { LENGTH = 10, MOST = 20 };
    double memory[LENGTH] = {0};
    sct_layout *layout = layout_of("row*2", 1, LENGTH, RANKS);
    sct_matrix *matrix;
    (void)arg;
    CHECK_CASE(sct_matrix_wrap(world, SCT_F64, layout, memory, 0, &matrix) == SCT_OK, "%s",
               sct_last_reason());
    sct_layout_destroy(layout);
    sct_status status = SCT_NO_MEMORY;
    int times = 0;
    for (int number = 1; status == SCT_NO_MEMORY && number < MOST; number++, times++) {
        CHECK(sct_world_barrier(world) == SCT_OK);
        if (sct_world_rank(world) == 0)
            stand_in_fail(CALL_MALLOC, number);
        CHECK(sct_world_barrier(world) == SCT_OK);
        status = sct_matrix_reduce_replicas(matrix, 0);
    }
    CHECK_CASE(status == SCT_OK && times > 2, "call %d: %s", times, sct_last_reason());
    sct_matrix_destroy(matrix);
    return 0;
}

static void test_reduce(void) {
    sct_world_options world = {.size = sizeof world, .engine = "cuda"};
    stand_in_start((stand_in_machine){.devices = RANKS});
    CHECK_CASE(sct_run(RANKS, &world, reduce, NULL) == SCT_OK, "%s", sct_last_reason());
    stand_in_end();
}

/* Where both matrices are memory of the host, elements change on the device: streams bring them
 * there and back, which may not open. */
static int transpose(sct_world *world, void *arg) {
    enum { SIDE = 6 };
    const int64_t *number = arg;
    double memory[2][SIDE * SIDE] = {{0}};
    sct_layout *layout = layout_of("row", SIDE, SIDE, RANKS);
    sct_matrix *matrix[2];
    for (int i = 0; i < 2; i++)
        CHECK(sct_matrix_wrap(world, SCT_F64, layout, memory[i], 0, &matrix[i]) == SCT_OK);
    sct_layout_destroy(layout);
    if (sct_world_rank(world) == 0)
        stand_in_fail(CALL_STREAM_CREATE, *number);
    CHECK(sct_world_barrier(world) == SCT_OK);
    sct_status status = sct_copy(SCT_T, sct_whole(matrix[0]), sct_whole(matrix[1]), NULL);
    for (int i = 0; i < 2; i++)
        sct_matrix_destroy(matrix[i]);
    return status;
}

static void test_transpose(void) {
    enum { MOST = 20 };
    sct_world_options world = {.size = sizeof world, .engine = "cuda"};
    bool failed = true;
    int64_t number = 0;
    while (failed && number++ < MOST) {
        stand_in_start((stand_in_machine){.devices = RANKS});
        sct_status status = sct_run(RANKS, &world, transpose, &number);
        failed = stand_in_failed();
        CHECK_CASE(status == (failed ? SCT_FAILED : SCT_OK), "stream %d: %s (%s)", (int)number,
                   sct_status_name(status), status ? sct_last_reason() : "");
        stand_in_end();
    }
    CHECK(number > 2 && number < MOST);
}

int main(void) {
    static const int numbers[] = {1, 2, 3, 5, 8, 13, 21};
    for (int kind = 0; kind < 3; kind++) {
        stand_in_machine machine = {.devices = 1 + (kind > 0), .apart = kind == 2};
        int64_t counts[CALLS];
        count_calls(machine, counts);
        for (int call = CALL_NONE + 1; call < CALLS; call++)
            for (size_t i = 0; i < sizeof numbers / sizeof *numbers && numbers[i] <= counts[call];
                 i++)
                test(machine, (fault){(stand_in_call)call, numbers[i]});
    }
    test_reduce();
    test_transpose();
    return check_report("failing_calls");
}
