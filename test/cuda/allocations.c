/* allocations.c - memory comes from slabs: a job takes one piece, from at most one new slab, and
 * once all calls have been made, the same calls allocate nothing from CUDA. There is only one slab
 * on each device if users say how large it is. */
#include "cuda/stand_in.h"
#include "support/check.h"
#include "whole/support/elements.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 3, SIZE = 60, LARGE = 1200, ROUNDS = 3 };

/* Calls that allocate. */
static const stand_in_call calls[] = {CALL_MALLOC, CALL_HOST_ALLOC, CALL_STREAM_CREATE,
                                      CALL_BLAS_CREATE};
enum { KINDS = sizeof calls / sizeof *calls };

static const source from = {3, 4};
static const float one = 1, zero = 0;

/* Rank 0 notes the counts while no rank is at work. */
static void note(sct_world *world, int64_t counts[KINDS]) {
    CHECK(sct_world_barrier(world) == SCT_OK);
    for (int i = 0; i < KINDS && sct_world_rank(world) == 0; i++)
        counts[i] = stand_in_count(calls[i]);
    CHECK(sct_world_barrier(world) == SCT_OK);
}

/* A matrix in memory of the host, which is freed with it. */
static sct_matrix *wrap(sct_world *world, sct_type type, int64_t size, void **memory) {
    sct_layout *layout = layout_of("col", size, size, RANKS);
    sct_matrix *made = NULL;
    *memory = malloc((size_t)(size * size) * sct_type_bytes(type));
    CHECK(sct_matrix_wrap(world, type, layout, *memory, 0, &made) == SCT_OK);
    sct_layout_destroy(layout);
    return made;
}

static void copy(sct_op op, sct_matrix *x, sct_matrix *y) {
    CHECK_CASE(sct_copy(op, sct_whole(x), sct_whole(y), NULL) == SCT_OK, "%s", sct_last_reason());
}

static void go_round(sct_world *world, sct_type type) {
    const char *const layouts[] = {"row", "col", "cyclic:7x5"};
    const sct_options options = {.size = sizeof options, .stay = SCT_STAY_A};
    sct_matrix *m[3];
    void *memory;
    for (int i = 0; i < 3; i++) {
        m[i] = matrix_new(world, type, layouts[i], SIZE, SIZE);
        matrix_fill(world, m[i], from);
    }
    sct_matrix *host = wrap(world, type, SIZE, &memory);
    copy(SCT_N, m[0], host);
    CHECK(matrix_count_wrong(world, host, from) == 0);
    copy(SCT_T, m[0], host);
    copy(SCT_T, host, m[1]);
    CHECK(matrix_count_wrong(world, m[1], from) == 0);
    for (int i = 0; i < 2; i++)
        CHECK_CASE(sct_multiply(SCT_N, SCT_N, &one, sct_whole(m[0]), sct_whole(i ? host : m[1]),
                                &zero, sct_whole(m[2]), &options) == SCT_OK,
                   "%s", sct_last_reason());
    sct_matrix_destroy(host);
    free(memory);
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(m[i]);
}

static int repeat(sct_world *world, void *arg) {
    int64_t(*counts)[KINDS] = arg;
    for (int round = 0; round < ROUNDS; round++) {
        go_round(world, SCT_F32);
        go_round(world, SCT_F16);
        note(world, counts[round]);
    }
    return 0;
}

static void test_repeated(stand_in_machine machine) {
    int64_t counts[ROUNDS][KINDS] = {{0}};
    sct_world_options world = {.size = sizeof world,
                               .engine = "cuda",
                               .engine_options = &(sct_cuda_options){
                                   .size = sizeof(sct_cuda_options), .ranks_per_node = 1}};
    machine.devices = RANKS;
    stand_in_start(machine);
    CHECK_CASE(sct_run(RANKS, &world, repeat, counts) == SCT_OK, "%s", sct_last_reason());
    stand_in_end();
    for (int i = 0; i < KINDS; i++)
        CHECK_CASE(counts[ROUNDS - 1][i] == counts[0][i],
                   "call %d, apart %d, unequal %d: made %lld times, then %lld", calls[i],
                   machine.apart, machine.unequal, (long long)counts[0][i],
                   (long long)counts[ROUNDS - 1][i]);
    CHECK(counts[0][0] > 0);
}

/* Copies pieces that are larger than what they go through. */
static int copy_large(sct_world *world, void *arg) {
    sct_matrix *on_devices = matrix_new(world, SCT_F32, "row", LARGE, LARGE);
    void *memory;
    sct_matrix *host = wrap(world, SCT_F32, LARGE, &memory);
    (void)arg;
    matrix_fill(world, on_devices, from);
    CHECK(sct_world_barrier(world) == SCT_OK);
    copy(SCT_N, on_devices, host);
    CHECK(matrix_count_wrong(world, host, from) == 0);
    sct_matrix_destroy(host);
    free(memory);
    sct_matrix_destroy(on_devices);
    return 0;
}

static void test_large_copies(void) {
    sct_world_options world = {.size = sizeof world,
                               .engine = "cuda",
                               .engine_options = &(sct_cuda_options){
                                   .size = sizeof(sct_cuda_options), .ranks_per_node = 1}};
    stand_in_start((stand_in_machine){.devices = RANKS, .apart = true});
    CHECK_CASE(sct_run(RANKS, &world, copy_large, NULL) == SCT_OK, "%s", sct_last_reason());
    stand_in_end();
}

/* A job whose workspace takes more than the smallest slab. */
static int make_job(sct_world *world, void *arg) {
    int64_t(*counts)[KINDS] = arg;
    sct_matrix *m[3];
    for (int i = 0; i < 3; i++)
        m[i] = matrix_new(world, SCT_F32, "row", LARGE, LARGE);
    const sct_options options = {
        .size = sizeof options, .stay = SCT_STAY_C, .slicing = SCT_SLICE_TILE};
    const sct_problem problem = {.size = sizeof problem,
                                 .type = SCT_F32,
                                 .ranks = RANKS,
                                 .ranks_per_node = 1,
                                 .a = sct_matrix_layout(m[0]),
                                 .b = sct_matrix_layout(m[1]),
                                 .c = sct_matrix_layout(m[2])};
    sct_plan *plan = NULL;
    sct_job *job = NULL;
    CHECK_CASE(sct_plan_create(&problem, sct_world_rank(world), &options, &plan) == SCT_OK, "%s",
               sct_last_reason());
    note(world, counts[0]);
    CHECK_CASE(sct_job_create(world, plan, sct_whole(m[0]), sct_whole(m[1]), sct_whole(m[2]),
                              &job) == SCT_OK,
               "%s", sct_last_reason());
    note(world, counts[1]);
    sct_job_destroy(job);
    sct_plan_destroy(plan);
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(m[i]);
    return 0;
}

static void test_job(void) {
    int64_t counts[2][KINDS] = {{0}};
    sct_world_options world = {.size = sizeof world,
                               .engine = "cuda",
                               .engine_options = &(sct_cuda_options){
                                   .size = sizeof(sct_cuda_options), .ranks_per_node = 1}};
    stand_in_start((stand_in_machine){.devices = RANKS});
    CHECK_CASE(sct_run(RANKS, &world, make_job, counts) == SCT_OK, "%s", sct_last_reason());
    stand_in_end();
    CHECK_CASE(counts[1][0] - counts[0][0] == RANKS, "%lld slabs for jobs",
               (long long)(counts[1][0] - counts[0][0]));
}

static const char one_slab[] = "SECTILE_CUDA_BYTES";

static void test_one_slab(void) {
    int64_t counts[ROUNDS][KINDS] = {{0}};
    sct_world_options world = {.size = sizeof world,
                               .engine = "cuda",
                               .engine_options = &(sct_cuda_options){
                                   .size = sizeof(sct_cuda_options), .ranks_per_node = 1}};
    setenv(one_slab, "67108864", 1);
    stand_in_start((stand_in_machine){.devices = RANKS});
    CHECK_CASE(sct_run(RANKS, &world, repeat, counts) == SCT_OK, "%s", sct_last_reason());
    CHECK_CASE(stand_in_count(CALL_MALLOC) == RANKS, "%lld slabs",
               (long long)stand_in_count(CALL_MALLOC));
    stand_in_end();
    unsetenv(one_slab);
}

/* Makes matrices until there is no memory left; the last one that was made can be used. */
static int fill(sct_world *world, void *arg) {
    enum { MOST = 8 };
    sct_matrix *m[MOST] = {NULL};
    sct_layout *layout = layout_of("row", LARGE, LARGE, RANKS);
    sct_status status = SCT_OK;
    int made = 0;
    (void)arg;
    while (made < MOST && !(status = sct_matrix_create(world, SCT_F32, layout, &m[made])))
        made++;
    CHECK_CASE(made == 2 && status == SCT_NO_MEMORY, "%d: %s", made, sct_last_reason());
    matrix_fill(world, m[1], from);
    CHECK(matrix_count_wrong(world, m[1], from) == 0);
    for (int i = 0; i < made; i++)
        sct_matrix_destroy(m[i]);
    sct_layout_destroy(layout);
    return 0;
}

/* A rank has 1.92 MB of a matrix, and a slab of 4 MiB. */
static void test_full_slab(void) {
    sct_world_options world = {.size = sizeof world,
                               .engine = "cuda",
                               .engine_options = &(sct_cuda_options){
                                   .size = sizeof(sct_cuda_options), .ranks_per_node = 1}};
    setenv(one_slab, "4194304", 1);
    stand_in_start((stand_in_machine){.devices = RANKS});
    CHECK_CASE(sct_run(RANKS, &world, fill, NULL) == SCT_OK, "%s", sct_last_reason());
    stand_in_end();
    unsetenv(one_slab);
}

static void refuse_slab(const char *bytes, sct_status want, const char *word) {
    sct_world_options world = {.size = sizeof world, .engine = "cuda"};
    setenv(one_slab, bytes, 1);
    stand_in_start((stand_in_machine){.devices = RANKS});
    stand_in_fail(want == SCT_NO_MEMORY ? CALL_MALLOC : CALL_NONE, 1);
    sct_status status = sct_run(RANKS, &world, fill, NULL);
    CHECK_CASE(status == want && strstr(sct_last_reason(), word), "%s: %s (%s)", word,
               sct_status_name(status), sct_last_reason());
    stand_in_end();
    unsetenv(one_slab);
}

int main(void) {
    test_repeated((stand_in_machine){.seed = 1});
    test_repeated((stand_in_machine){.unequal = true});
    test_repeated((stand_in_machine){.apart = true});
    test_large_copies();
    test_job();
    test_one_slab();
    test_full_slab();
    refuse_slab("8x", SCT_BAD_ARGUMENT, "SECTILE_CUDA_BYTES: '8x'");
    refuse_slab("67108864", SCT_NO_MEMORY, "SECTILE_CUDA_BYTES: the GPU has no 67108864 bytes");
    return check_report("allocations");
}
