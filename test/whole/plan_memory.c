/* plan_memory.c - how much memory plans allocate: no more for a million steps than for half a
 * million, and none while a job runs. */
#include "support/check.h"
#include "whole/support/alloc_faults.h"

enum { HALF_MILLION = 1 << 19, MOST_BYTES = 3 << 20, READS = 100, RANKS = 3, SIZE = 30, RUNS = 3 };

typedef struct problem {
    sct_layout *rows;
    sct_problem value;
} problem;

static void make_problem(int ranks, int64_t size, problem *p) {
    CHECK(sct_layout_create_row(size, size, ranks, &p->rows) == SCT_OK);
    p->value = (sct_problem){.size = sizeof p->value,
                             .type = SCT_F64,
                             .a = p->rows,
                             .b = p->rows,
                             .c = p->rows,
                             .ranks = ranks};
}

/* Each rank owns one row of C and needs all rows of B, starting with its own. Returns the bytes
 * allocated. */
static size_t plan_rows(int ranks, sct_slicing slicing, uint64_t *random) {
    problem p;
    const sct_decisions by_owner = {
        .size = sizeof by_owner,
        .nest = {1, 0, 2},
        .begin = {SCT_BEGIN_SHIFTED, SCT_BEGIN_SHIFTED, SCT_BEGIN_SHIFTED}};
    sct_options options = {
        .size = sizeof options, .stay = SCT_STAY_C, .slicing = slicing, .decisions = &by_owner};
    sct_plan *plan;
    sct_cost cost;
    int rank = (int)check_between(random, 0, ranks - 1);
    make_problem(ranks, ranks, &p);
    alloc_bytes = 0;
    CHECK(sct_plan_create(&p.value, rank, &options, &plan) == SCT_OK);
    size_t asked = alloc_bytes;
    CHECK(sct_plan_cost(plan, &cost) == SCT_OK && cost.steps == ranks);
    CHECK(cost.bytes_in_place == 8u * (uint64_t)ranks * (uint64_t)(ranks - 1));
    for (int i = 0; i < READS; i++) {
        int64_t at = i == 0 ? 0 : check_between(random, 0, ranks - 1);
        int64_t row = (rank + at) % ranks;
        sct_step step;
        CHECK(sct_plan_step(plan, at, &step) == SCT_OK);
        CHECK_CASE(step.owner_b == row && step.k.count == 1 && step.k.first.lo == row &&
                       step.owner_a == rank && step.owner_c == rank && step.n.count == ranks,
                   "rank %d, step %lld: row %lld", rank, (long long)at, (long long)step.k.first.lo);
    }
    CHECK(alloc_bytes == asked);
    sct_plan_destroy(plan);
    sct_layout_destroy(p.rows);
    return asked;
}

static void test_long(sct_slicing slicing, uint64_t *random) {
    size_t half = plan_rows(HALF_MILLION, slicing, random);
    size_t whole = plan_rows(2 * HALF_MILLION, slicing, random);
    CHECK_CASE(half == whole && whole <= MOST_BYTES, "%zu and %zu bytes", half, whole);
}

static int run_rank(sct_world *world, void *arg) {
    static const double one = 1, zero = 0;
    const problem *p = arg;
    sct_matrix *factor, *sum;
    sct_plan *plan;
    sct_job *job;
    CHECK(sct_matrix_create(world, SCT_F64, p->rows, &factor) == SCT_OK);
    CHECK(sct_matrix_create(world, SCT_F64, p->rows, &sum) == SCT_OK);
    CHECK(sct_plan_create(&p->value, sct_world_rank(world), NULL, &plan) == SCT_OK);
    CHECK(sct_job_create(world, plan, sct_whole(factor), sct_whole(factor), sct_whole(sum), &job) ==
          SCT_OK);
    alloc_bytes = 0;
    for (int i = 0; i < RUNS; i++) {
        CHECK(sct_job_start(job, &one, &zero) == SCT_OK);
        CHECK(sct_job_wait(job) == SCT_OK);
        CHECK(alloc_bytes == 0);
    }
    sct_job_destroy(job);
    sct_plan_destroy(plan);
    sct_matrix_destroy(sum);
    sct_matrix_destroy(factor);
    return 0;
}

static void test_run(void) {
    problem p;
    make_problem(RANKS, SIZE, &p);
    CHECK(sct_run(RANKS, NULL, run_rank, &p) == SCT_OK);
    sct_layout_destroy(p.rows);
}

int main(void) {
    uint64_t random = check_seed(1);
    test_long(SCT_SLICE_CLASS, &random);
    test_long(SCT_SLICE_TILE, &random);
    test_run();
    return check_report("plan_memory");
}
