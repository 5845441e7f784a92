/* job_wait.c - a user's stream waits for runs of a job: between the runs, users' streams write A
 * and read C. On threads the host then waits for no device; on processes it does. */
#include <sectile/sectile_cuda.h>

#include "cuda/stand_in.h"
#include "plan/plan.h"
#include "support/check.h"
#include "whole/support/elements.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 3, SIZE = 32, TURNS = 3 };

/* A job of C = A B + beta C; each rank stores one block of A and one of C. */
typedef struct request {
    const char *layout[3];
    sct_type type;
    sct_stay stay;
    double beta;
    bool scales; /* C is scaled by a command of its own, not by the first products */
    int64_t before[CALLS], after[CALLS];
} request;

typedef struct part {
    void *data;
    int64_t elements;
    size_t bytes;
} part;

typedef struct rank_state {
    sct_world *world;
    const request *r;
    sct_matrix *matrix[3];
    sct_plan *plan;
    sct_job *job;
    cudaStream_t stream;
    part a, c;
    void *given[TURNS], *found[TURNS]; /* of A and of C, by turn */
} rank_state;

static part part_of(const sct_matrix *matrix) {
    sct_block block;
    int count;
    CHECK(sct_matrix_blocks(matrix, 1, &block, &count) == SCT_OK && count == 1);
    int64_t elements = block.rows * block.cols;
    return (part){block.data, elements, (size_t)elements * sct_type_bytes(sct_matrix_type(matrix))};
}

static void create(sct_world *world, const request *r, rank_state *s) {
    const sct_options options = {.size = sizeof options, .stay = r->stay};
    sct_layout *layout[3];
    *s = (rank_state){.world = world, .r = r};
    for (int i = 0; i < 3; i++) {
        layout[i] = layout_of(r->layout[i], SIZE, SIZE, RANKS);
        CHECK(sct_matrix_create(world, r->type, layout[i], &s->matrix[i]) == SCT_OK);
        matrix_set(world, s->matrix[i], (element){i < 2, 0});
    }
    sct_problem problem = {.size = sizeof problem,
                           .type = r->type,
                           .a = layout[0],
                           .b = layout[1],
                           .c = layout[2],
                           .ranks = RANKS,
                           .ranks_per_node = sct_world_ranks_per_node(world),
                           .gpus = sct_world_gpus(world)};
    CHECK(sct_plan_create(&problem, sct_world_rank(world), &options, &s->plan) == SCT_OK);
    s->plan->beta_in_product &= !r->scales;
    CHECK_CASE(sct_job_create(world, s->plan, sct_whole(s->matrix[0]), sct_whole(s->matrix[1]),
                              sct_whole(s->matrix[2]), &s->job) == SCT_OK,
               "%s", sct_last_reason());
    for (int i = 0; i < 3; i++)
        sct_layout_destroy(layout[i]);
    s->a = part_of(s->matrix[0]);
    s->c = part_of(s->matrix[2]);
    for (int turn = 0; turn < TURNS; turn++) {
        s->given[turn] = malloc(s->a.bytes);
        s->found[turn] = malloc(s->c.bytes);
        for (int64_t i = 0; i < s->a.elements; i++)
            element_put(r->type, s->given[turn], i, (element){turn + 1, 0});
    }
    CHECK(cudaStreamCreateWithPriority(&s->stream, cudaStreamNonBlocking, 0) == cudaSuccess);
}

static void destroy(rank_state *s) {
    CHECK(cudaStreamDestroy(s->stream) == cudaSuccess);
    for (int turn = 0; turn < TURNS; turn++) {
        free(s->given[turn]);
        free(s->found[turn]);
    }
    sct_job_destroy(s->job);
    sct_plan_destroy(s->plan);
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(s->matrix[i]);
}

static sct_status start(const rank_state *s) {
    sct_type sum = sct_type_sum(s->r->type);
    const sct_scalar one = sct_scalar_real(sum, 1), beta = sct_scalar_real(sum, s->r->beta);
    return sct_job_start(s->job, &one, &beta);
}

static void copy(void *to, const void *from, const part *p, cudaStream_t stream) {
    CHECK(cudaMemcpyAsync(to, from, p->bytes, cudaMemcpyDefault, stream) == cudaSuccess);
}

/* All by streams: A of the turn, the product, C to the host. */
static void run_turn(const rank_state *s, int turn) {
    copy(s->a.data, s->given[turn], &s->a, s->stream);
    CHECK_CASE(sct_cuda_follow(s->world, s->stream) == SCT_OK, "%s", sct_last_reason());
    CHECK_CASE(start(s) == SCT_OK, "%s", sct_last_reason());
    CHECK_CASE(sct_cuda_job_wait(s->job, s->stream) == SCT_OK, "%s", sct_last_reason());
    copy(s->found[turn], s->c.data, &s->c, s->stream);
}

static void check_found(const rank_state *s) {
    double want = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        int64_t wrong = 0;
        want = s->r->beta * want + (turn + 1) * SIZE;
        for (int64_t i = 0; i < s->c.elements; i++)
            wrong += element_get(s->r->type, s->found[turn], i).re != want;
        CHECK_CASE(wrong == 0, "turn %d: %lld elements are wrong", turn, (long long)wrong);
    }
}

/* Rank 0 notes the counts while no rank is at work. */
static void note(const rank_state *s, int64_t counts[CALLS]) {
    CHECK(sct_world_barrier(s->world) == SCT_OK);
    for (int i = 0; i < CALLS && sct_world_rank(s->world) == 0; i++)
        counts[i] = stand_in_count((stand_in_call)i);
    CHECK(sct_world_barrier(s->world) == SCT_OK);
}

static int run(sct_world *world, void *arg) {
    request *r = arg;
    rank_state s;
    create(world, r, &s);
    note(&s, r->before);
    for (int turn = 0; turn < TURNS; turn++)
        run_turn(&s, turn);
    note(&s, r->after);
    CHECK(cudaStreamSynchronize(s.stream) == cudaSuccess);
    check_found(&s);
    destroy(&s);
    return 0;
}

static void run_on(stand_in_machine machine, sct_main *fn, void *arg) {
    sct_world_options world = {.size = sizeof world, .engine = "cuda"};
    stand_in_start(machine);
    CHECK_CASE(sct_run(RANKS, &world, fn, arg) == SCT_OK, "%s", sct_last_reason());
    stand_in_end();
}

/* There all worlds are of one engine, and the host waits for devices. */
static bool on_processes(void) {
    return getenv("SECTILE_TEST_ENGINE") != NULL;
}

/* The stand-ins check that each command comes after those that it needs, whatever the delays. */
static void test_order(stand_in_machine machine) {
    request requests[] = {
        {.layout = {"row", "row", "col"}, .type = SCT_F32, .stay = SCT_STAY_C},
        {.layout = {"row", "row", "col"}, .type = SCT_F64, .stay = SCT_STAY_C, .beta = 2},
        {.layout = {"col", "row", "row"}, .type = SCT_F32, .stay = SCT_STAY_A},
        {.layout = {"col", "row", "col"}, .type = SCT_F64, .stay = SCT_STAY_B, .beta = 2},
        {.layout = {"col", "row", "row*3"}, .type = SCT_F32, .stay = SCT_STAY_A},
        {.layout = {"col", "row", "row*3"}, .type = SCT_F32, .stay = SCT_STAY_C, .beta = 2},
        {.layout = {"col", "row", "row"}, .type = SCT_BF16, .stay = SCT_STAY_A},
        {.layout = {"row", "row@1*3", "row"}, .type = SCT_BF16, .stay = SCT_STAY_C, .beta = 2},
        {.layout = {"row", "row", "row"},
         .type = SCT_F32,
         .stay = SCT_STAY_C,
         .beta = 2,
         .scales = true},
        {.layout = {"row", "row", "col*3"}, .type = SCT_BF16, .stay = SCT_STAY_AUTO, .beta = 2}};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        request *r = &requests[i];
        run_on(machine, run, r);
        int64_t waits = r->after[CALL_SYNCHRONIZE] - r->before[CALL_SYNCHRONIZE] +
                        r->after[CALL_QUERY] - r->before[CALL_QUERY];
        CHECK_CASE(waits == 0 || on_processes(), "case %zu: the host waits %lld times", i,
                   (long long)waits);
        CHECK(r->after[CALL_GEMM] > r->before[CALL_GEMM] || on_processes());
    }
}

/* ---- What comes next follows the run without the user's stream, too ---- */

static int go_on(sct_world *world, void *arg) {
    const request r = {.layout = {"col", "row", "row"}, .type = SCT_F32, .stay = SCT_STAY_A};
    rank_state s;
    (void)arg;
    create(world, &r, &s);
    CHECK(start(&s) == SCT_OK && sct_cuda_job_wait(s.job, s.stream) == SCT_OK);
    CHECK(sct_copy(SCT_N, sct_whole(s.matrix[2]), sct_whole(s.matrix[0]), NULL) == SCT_OK);
    int64_t wrong = matrix_count_other(world, s.matrix[0], (element){SIZE, 0});
    CHECK(start(&s) == SCT_OK && sct_job_wait(s.job) == SCT_OK);
    CHECK(start(&s) == SCT_OK && sct_cuda_job_wait(s.job, s.stream) == SCT_OK);
    sct_job_destroy(s.job);
    s.job = NULL;
    for (int i = 0; i < 3; i++) { /* other ranks may be at work on it; others get the memory */
        sct_matrix_destroy(s.matrix[i]);
        s.matrix[i] = matrix_new(world, SCT_F32, "row", SIZE, SIZE);
        matrix_set(world, s.matrix[i], (element){SIZE, 0});
        wrong += matrix_count_other(world, s.matrix[i], (element){SIZE, 0});
    }
    CHECK_CASE(wrong == 0, "%lld elements are wrong", (long long)wrong);
    destroy(&s);
    return 0;
}

/* ---- Mistakes and failures ---- */

static int refuse(sct_world *world, void *arg) {
    const request r = {.layout = {"col", "row", "row"}, .type = SCT_F32, .stay = SCT_STAY_A};
    rank_state s;
    (void)arg;
    create(world, &r, &s);
    CHECK(sct_cuda_job_wait(NULL, s.stream) == SCT_BAD_ARGUMENT);
    CHECK(sct_cuda_job_wait(s.job, s.stream) == SCT_BAD_ARGUMENT);
    CHECK_CASE(strstr(sct_last_reason(), "not running"), "%s", sct_last_reason());
    CHECK(start(&s) == SCT_OK);
    CHECK((sct_world_rank(world) == 1 ? sct_job_wait(s.job) : sct_cuda_job_wait(s.job, s.stream)) ==
          SCT_DISAGREE);
    destroy(&s);
    return 0;
}

static int refuse_engine(sct_world *world, void *arg) {
    const request r = {.layout = {"col", "row", "row"}, .type = SCT_F32, .stay = SCT_STAY_A};
    rank_state s;
    (void)arg;
    create(world, &r, &s);
    CHECK(start(&s) == SCT_OK);
    CHECK(sct_cuda_job_wait(s.job, s.stream) == SCT_BAD_ARGUMENT);
    CHECK(sct_job_wait(s.job) == SCT_OK);
    destroy(&s);
    return 0;
}

/* From some call of its kind on, those of one kind fail: if the run fails, it does on all ranks,
 * and nothing touches memory any more. */
static int fail(sct_world *world, void *arg) {
    static const stand_in_call calls[] = {CALL_WAIT_EVENT, CALL_EVENT_RECORD, CALL_GEMM,
                                          CALL_LAUNCH};
    const request r = {.layout = {"col", "row", "row"}, .type = SCT_BF16, .stay = SCT_STAY_A};
    const int *which = arg;
    rank_state s;
    create(world, &r, &s);
    CHECK(start(&s) == SCT_OK && sct_world_barrier(world) == SCT_OK);
    if (sct_world_rank(world) == 0)
        stand_in_fail(calls[which[0]], which[1]);
    CHECK(sct_world_barrier(world) == SCT_OK);
    sct_status status = sct_cuda_job_wait(s.job, s.stream);
    CHECK(status == SCT_OK || sct_last_reason()[0] != '\0');
    sct_status all[RANKS];
    CHECK(sct_world_gather(world, &status, sizeof status, all) == SCT_OK);
    CHECK(all[0] == all[1] && all[1] == all[2]);
    destroy(&s);
    return 0;
}

int main(void) {
    test_order((stand_in_machine){.devices = RANKS, .delay_us = 200, .seed = 1});
    test_order((stand_in_machine){.devices = 1, .delay_us = 50, .seed = 2});
    test_order((stand_in_machine){.devices = 2, .unequal = true, .delay_us = 50, .seed = 3});
    run_on((stand_in_machine){.devices = RANKS, .delay_us = 200, .seed = 4}, go_on, NULL);
    run_on((stand_in_machine){.devices = 2}, refuse, NULL);
    CHECK(on_processes() || sct_run(RANKS, NULL, refuse_engine, NULL) == SCT_OK);
    for (int call = 0; call < 4; call++)
        for (int number = 1; number < 40; number += 3)
            run_on((stand_in_machine){.devices = 2, .seed = 5}, fail, (int[]){call, number});
    return check_report("job_wait");
}
