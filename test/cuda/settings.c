/* settings.c - the functions of sectile_cuda.h: work follows users' streams; TF32 is used where it
 * is allowed; contributions go the way that was asked for. On threads and on processes. */
#include <sectile/sectile_cuda.h>

#include "cuda/stand_in.h"
#include "support/check.h"
#include "whole/support/elements.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 3, SIZE = 30 };

static void run_with(stand_in_machine machine, sct_cuda_options own, sct_main *fn, void *arg,
                     sct_status want) {
    own.size = sizeof own;
    const sct_world_options world = {
        .size = sizeof world, .engine = "cuda", .engine_options = &own};
    stand_in_start(machine);
    CHECK_CASE(sct_run(RANKS, &world, fn, arg) == want, "%s", sct_last_reason());
    stand_in_end();
}

static void run(stand_in_machine machine, sct_main *fn, void *arg) {
    run_with(machine, (sct_cuda_options){.devices = NULL}, fn, arg, SCT_OK);
}

static void multiply(sct_matrix *const matrix[3]) {
    const float one = 1, zero = 0;
    CHECK_CASE(sct_multiply(SCT_N, SCT_N, &one, sct_whole(matrix[0]), sct_whole(matrix[1]), &zero,
                            sct_whole(matrix[2]), NULL) == SCT_OK,
               "%s", sct_last_reason());
}

static void matrices_new(sct_world *world, sct_matrix *matrix[3], const char *const layout[3]) {
    for (int i = 0; i < 3; i++) {
        matrix[i] = matrix_new(world, SCT_F32, layout[i], SIZE, SIZE);
        matrix_set(world, matrix[i], (element){1, 0});
    }
}

/* C = A B with all elements of A as given, and of B 1. */
static void check_product(sct_world *world, sct_matrix *const matrix[3], float a) {
    int64_t wrong = matrix_count_other(world, matrix[2], (element){a * SIZE, 0});
    CHECK_CASE(wrong == 0, "%lld elements are wrong", (long long)wrong);
}

static void matrices_destroy(sct_matrix *matrix[3]) {
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(matrix[i]);
}

/* ---- Users' streams ---- */

/* Has a stream set this rank's part, by way of values that live until the stream is waited for. */
static void fill_on(cudaStream_t stream, const sct_matrix *matrix, float *values, float value) {
    sct_block block;
    int count;
    CHECK(sct_matrix_blocks(matrix, 1, &block, &count) == SCT_OK && count == 1);
    int64_t elements = block.rows * block.cols;
    size_t bytes = (size_t)elements * sizeof *values;
    for (int64_t i = 0; i < elements; i++)
        values[i] = value;
    CHECK(cudaMemcpy2DAsync(block.data, bytes, values, bytes, bytes, 1, cudaMemcpyDefault,
                            stream) == cudaSuccess);
}

/* Fills A by a stream of the user, and B by another one, for which no one waits, and multiplies. */
static int follow(sct_world *world, void *arg) {
    static const char *const layouts[] = {"row", "row", "col"};
    sct_matrix *matrix[3];
    cudaStream_t stream[2];
    float *values[2];
    (void)arg;
    matrices_new(world, matrix, layouts);
    for (int i = 0; i < 2; i++) {
        values[i] = malloc(SIZE * SIZE * sizeof(float));
        CHECK(cudaStreamCreateWithPriority(&stream[i], cudaStreamNonBlocking, 0) == cudaSuccess);
    }
    for (int turn = 1; turn <= 3; turn++) {
        for (int i = 0; i < 2; i++)
            fill_on(stream[i], matrix[i], values[i], i == 0 ? (float)turn : 1);
        for (int i = 0; i < 2; i++)
            CHECK_CASE(sct_cuda_follow(world, stream[i]) == SCT_OK, "%s", sct_last_reason());
        multiply(matrix);
        check_product(world, matrix, (float)turn);
    }
    for (int i = 0; i < 2; i++) {
        CHECK(cudaStreamSynchronize(stream[i]) == cudaSuccess);
        CHECK(cudaStreamDestroy(stream[i]) == cudaSuccess);
        free(values[i]);
    }
    matrices_destroy(matrix);
    return 0;
}

/* ---- TF32 ---- */

static int allow_tf32(sct_world *world, void *arg) {
    static const char *const layouts[] = {"row", "row", "row"};
    sct_matrix *matrix[3];
    int64_t counts[2];
    (void)arg;
    matrices_new(world, matrix, layouts);
    for (int allow = 0; allow < 2; allow++) {
        CHECK(sct_cuda_set_math(world, (sct_math)allow) == SCT_OK);
        CHECK(sct_world_barrier(world) == SCT_OK);
        multiply(matrix);
        CHECK(sct_world_barrier(world) == SCT_OK);
        counts[allow] = stand_in_count(CALL_GEMM_TF32);
    }
    CHECK(counts[0] == 0 && counts[1] == stand_in_count(CALL_GEMM) / 2);
    matrices_destroy(matrix);
    return 0;
}

/* The same from the start. */
static int use_tf32(sct_world *world, void *arg) {
    static const char *const layouts[] = {"row", "row", "row"};
    sct_matrix *matrix[3];
    (void)arg;
    matrices_new(world, matrix, layouts);
    multiply(matrix);
    CHECK(sct_world_barrier(world) == SCT_OK);
    CHECK(stand_in_count(CALL_GEMM) > 0);
    CHECK(stand_in_count(CALL_GEMM_TF32) == stand_in_count(CALL_GEMM));
    matrices_destroy(matrix);
    return 0;
}

/* ---- Contributions ---- */

/* A product whose contributions go to other GPUs; the mailbox takes a copy and a kernel for each,
 * and the others a kernel. */
static int accumulate(sct_world *world, void *arg) {
    static const char *const layouts[] = {"col", "row", "row"};
    const sct_accumulation *how = arg; /* NULL: as the world says */
    sct_options options = {.size = sizeof options, .stay = SCT_STAY_A};
    const float one = 1, zero = 0;
    sct_matrix *matrix[3];
    matrices_new(world, matrix, layouts);
    matrix_set(world, matrix[0], (element){1, 0});
    CHECK(!how || sct_cuda_set_accumulation(world, *how) == SCT_OK);
    CHECK_CASE(sct_multiply(SCT_N, SCT_N, &one, sct_whole(matrix[0]), sct_whole(matrix[1]), &zero,
                            sct_whole(matrix[2]), &options) == SCT_OK,
               "%s", sct_last_reason());
    check_product(world, matrix, 1);
    matrices_destroy(matrix);
    return 0;
}

/* The copies of a run in which contributions go this way. */
static int64_t copies(stand_in_machine machine, sct_accumulation how) {
    run(machine, accumulate, &how);
    return stand_in_count(CALL_COPY);
}

static int64_t copies_from_start(stand_in_machine machine, sct_accumulation how) {
    run_with(machine, (sct_cuda_options){.accumulation = how}, accumulate, NULL, SCT_OK);
    return stand_in_count(CALL_COPY);
}

static void test_accumulate(void) {
    stand_in_machine machine = {.devices = RANKS, .seed = 1};
    int64_t direct = copies(machine, SCT_ACCUMULATION_ATOMIC),
            mailbox = copies(machine, SCT_ACCUMULATION_MAILBOX);
    CHECK(mailbox > direct && copies(machine, SCT_ACCUMULATION_AUTO) == direct);
    CHECK(copies_from_start(machine, SCT_ACCUMULATION_MAILBOX) == mailbox);
    CHECK(copies_from_start(machine, SCT_ACCUMULATION_ATOMIC) == direct);
    machine.unequal = true;
    run_with(machine, (sct_cuda_options){.accumulation = SCT_ACCUMULATION_ATOMIC}, accumulate, NULL,
             SCT_NO_ENGINE);
    CHECK(copies(machine, SCT_ACCUMULATION_AUTO) == mailbox);
}

static int refuse(sct_world *world, void *arg) {
    (void)arg;
    CHECK(sct_cuda_set_accumulation(world, SCT_ACCUMULATION_ATOMIC) == SCT_NO_ENGINE);
    CHECK(sct_cuda_set_accumulation(world, (sct_accumulation)3) == SCT_BAD_ARGUMENT);
    return 0;
}

/* Where one rank can record no event, none follows a stream; afterwards all can. */
static int follow_later(sct_world *world, void *arg) {
    bool first = sct_world_rank(world) == 0;
    cudaStream_t stream;
    (void)arg;
    CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, 0) == cudaSuccess);
    CHECK(sct_world_barrier(world) == SCT_OK);
    if (first)
        stand_in_fail(CALL_EVENT_RECORD, 1);
    CHECK(sct_world_barrier(world) == SCT_OK);
    CHECK(sct_cuda_follow(world, stream) != SCT_OK);
    CHECK_CASE(strstr(sct_last_reason(), "follow a user's stream"), "%s", sct_last_reason());
    CHECK(sct_world_barrier(world) == SCT_OK);
    if (first)
        stand_in_fail(CALL_NONE, 0);
    CHECK(sct_world_barrier(world) == SCT_OK);
    CHECK_CASE(sct_cuda_follow(world, stream) == SCT_OK, "%s", sct_last_reason());
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    return 0;
}

static int refuse_engine(sct_world *world, void *arg) {
    (void)arg;
    CHECK(sct_cuda_follow(world, NULL) == SCT_BAD_ARGUMENT);
    CHECK(sct_cuda_set_math(world, SCT_MATH_TF32) == SCT_BAD_ARGUMENT);
    CHECK(sct_cuda_set_accumulation(world, SCT_ACCUMULATION_AUTO) == SCT_BAD_ARGUMENT);
    return 0;
}

int main(void) {
    run((stand_in_machine){.devices = RANKS, .delay_us = 300, .seed = 1}, follow, NULL);
    run((stand_in_machine){.devices = 1, .delay_us = 300, .seed = 1}, follow, NULL);
    run((stand_in_machine){.devices = 2}, allow_tf32, NULL);
    run_with((stand_in_machine){.devices = 2}, (sct_cuda_options){.math = SCT_MATH_TF32}, use_tf32,
             NULL, SCT_OK);
    test_accumulate();
    run_with((stand_in_machine){.devices = 2}, (sct_cuda_options){.math = 2}, use_tf32, NULL,
             SCT_BAD_ARGUMENT);
    CHECK(strstr(sct_last_reason(), "options of the engine cuda: math: 2 is not in 0 to 1"));
    run_with((stand_in_machine){.devices = 2}, (sct_cuda_options){.accumulation = 3}, use_tf32,
             NULL, SCT_BAD_ARGUMENT);
    CHECK(strstr(sct_last_reason(), "options of the engine cuda: accumulation: 3"));
    run((stand_in_machine){.devices = RANKS}, follow_later, NULL);
    run((stand_in_machine){.devices = RANKS, .unequal = true}, refuse, NULL);
    if (!getenv("SECTILE_TEST_ENGINE")) /* else all worlds are of that engine */
        CHECK(sct_run(2, NULL, refuse_engine, NULL) == SCT_OK);
    CHECK(sct_cuda_set_math(NULL, SCT_MATH_TF32) == SCT_BAD_ARGUMENT);
    return check_report("settings");
}
