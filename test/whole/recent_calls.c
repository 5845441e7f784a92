/* recent_calls.c - a product or copy that is made again is neither planned nor bound again; one
 * whose matrices are gone, or which has failed, leaves no memory behind; and ranks need not keep
 * the same calls. */
#include "api/world.h"
#include "engine/emulated.h"
#include "support/check.h"
#include "whole/support/elements.h"
#include "whole/support/meetings.h"

enum { RANKS = 2, SIZE = 24, A = 0, B = 1, C = 2 };

/* ---- What is counted of each rank ---- */

static _Thread_local int plans, jobs, movers, live; /* live: allocations of the device */

sct_status __real_sct_plan_create(const sct_problem *problem, int rank, const sct_options *options,
                                  sct_plan **plan);
sct_status __wrap_sct_plan_create(const sct_problem *problem, int rank, const sct_options *options,
                                  sct_plan **plan);
sct_status __real_sct_job_bind(const sct_plan *plan, const sct_exec_context *context,
                               const sct_bound bound[SCT_MATS], void *workspace, sct_job **job);
sct_status __wrap_sct_job_bind(const sct_plan *plan, const sct_exec_context *context,
                               const sct_bound bound[SCT_MATS], void *workspace, sct_job **job);
sct_status __real_sct_world_open_mover(sct_world *world, const sct_matrix *matrix, size_t limit,
                                       sct_mover *mover);
sct_status __wrap_sct_world_open_mover(sct_world *world, const sct_matrix *matrix, size_t limit,
                                       sct_mover *mover);

sct_status __wrap_sct_plan_create(const sct_problem *problem, int rank, const sct_options *options,
                                  sct_plan **plan) {
    plans++;
    return __real_sct_plan_create(problem, rank, options, plan);
}

sct_status __wrap_sct_job_bind(const sct_plan *plan, const sct_exec_context *context,
                               const sct_bound bound[SCT_MATS], void *workspace, sct_job **job) {
    jobs++;
    return __real_sct_job_bind(plan, context, bound, workspace, job);
}

sct_status __wrap_sct_world_open_mover(sct_world *world, const sct_matrix *matrix, size_t limit,
                                       sct_mover *mover) {
    movers++;
    return __real_sct_world_open_mover(world, matrix, limit, mover);
}

static _Thread_local const sct_fabric_ops *fabric_ops;
static _Thread_local const sct_device_ops *device_ops;
static _Thread_local sct_device_ops counting_device;
static _Thread_local bool broken; /* gets fail */

static sct_status break_get(sct_fabric *fabric, sct_stream *stream, const sct_target *from,
                            void *to, size_t pitch, sct_event *reached) {
    if (broken)
        return SCT_FAILED;
    return fabric_ops->get(fabric, stream, from, to, pitch, reached);
}

static void *count_alloc(sct_device *device, size_t bytes) {
    live++;
    return device_ops->alloc(device, bytes);
}

static void count_release(sct_device *device, void *memory) {
    live--;
    device_ops->release(device, memory);
}

static void start_counting(sct_world *world) {
    fabric_ops = world->fabric->ops;
    device_ops = world->device->ops;
    counting_device = *device_ops;
    counting_device.alloc = count_alloc;
    counting_device.release = count_release;
    meetings_count(world->fabric)->get = break_get;
    world->device->ops = &counting_device;
    plans = jobs = movers = live = 0;
}

static void stop_counting(sct_world *world) {
    meetings_end(world->fabric);
    world->device->ops = device_ops;
}

/* The number of calls of each kind since the last such check. */
static void expect(const char *what, int made, int bound, int moved) {
    CHECK_CASE(plans == made && jobs == bound && movers == moved,
               "%s: %d plans, %d jobs, %d movers, not %d, %d, %d", what, plans, jobs, movers, made,
               bound, moved);
    plans = jobs = movers = 0;
}

/* ---- Products ---- */

static const double one = 1, two = 2, zero = 0;

static void make(sct_world *world, sct_type type, sct_matrix *x[3]) {
    for (int i = 0; i < 3; i++) {
        x[i] = matrix_new(world, type, i == B ? "col" : "row", SIZE, SIZE);
        matrix_set(world, x[i], (element){1, 0});
    }
}

static void destroy(sct_matrix *x[3]) {
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(x[i]);
}

/* With B stationary, as the ranks then fetch A and add to C. */
static sct_options options_of(void) {
    return (sct_options){.size = sizeof(sct_options), .stay = SCT_STAY_B};
}

static sct_status try(sct_matrix *x[3], const double *alpha, const double *beta,
                      const sct_options *options) {
    return sct_multiply(SCT_N, SCT_N, alpha, sct_whole(x[A]), sct_whole(x[B]), beta,
                        sct_whole(x[C]), options);
}

static void multiply(const sct_world *world, sct_matrix *x[3], double alpha) {
    const sct_options options = options_of();
    double wanted = alpha * SIZE;
    CHECK_CASE(try(x, &alpha, &zero, &options) == SCT_OK, "%s", sct_last_reason());
    matrix_check_f64(world, x[C], wanted);
}

static void try_again(sct_world *world, sct_matrix *x[3]) {
    meetings_counted();
    multiply(world, x, one);
    expect("the first product", 1, 1, 0);
    int first = meetings_counted();
    CHECK_CASE(live == 1, "%d allocations are kept", live);
    multiply(world, x, one);
    multiply(world, x, two);
    expect("again", 0, 0, 0);
    int later = meetings_counted();
    CHECK_CASE(first == 3 && later == 6, "%d meetings, then %d", first, later);
    const sct_options options = options_of();
    double wanted = 4 * SIZE;
    CHECK(try(x, &two, &one, &options) == SCT_OK);
    matrix_check_f64(world, x[C], wanted);
    CHECK(sct_multiply(SCT_T, SCT_N, &one, sct_whole(x[A]), sct_whole(x[B]), &zero, sct_whole(x[C]),
                       &options) == SCT_OK);
    expect("with another op", 1, 1, 0);
    sct_view part = sct_whole(x[C]), half = sct_whole(x[A]);
    part.slice.rows.hi = half.slice.rows.hi = SIZE / 2;
    CHECK(sct_multiply(SCT_N, SCT_N, &one, half, sct_whole(x[B]), &zero, part, &options) == SCT_OK);
    expect("with another view", 1, 1, 0);
    multiply(world, x, one);
    expect("the first again", 0, 0, 0);
    int before = live;
    sct_job_shed(world->recent.latest->job);
    CHECK(live == before - 1);
    multiply(world, x, two);
    expect("without its workspace", 0, 0, 0);
    CHECK_CASE(live == before, "%d allocations, not %d", live, before);
}

/* Layouts that are equal are as good as the same. */
static void try_other_matrices(sct_world *world, sct_matrix *x[3]) {
    sct_matrix *y[3];
    make(world, SCT_F64, y);
    multiply(world, y, one);
    expect("other matrices", 0, 1, 0);
    multiply(world, x, one);
    multiply(world, y, one);
    expect("both again", 0, 0, 0);
    int before = live;
    sct_matrix_destroy(y[C]);
    CHECK_CASE(live == before - 1, "%d allocations are kept, not %d", live, before - 1);
    y[C] = matrix_new(world, SCT_F64, "row", SIZE, SIZE);
    multiply(world, y, one);
    expect("another result", 0, 1, 0);
    destroy(y);
    multiply(world, x, one);
    expect("the others", 0, 0, 0);
}

static void try_failure(sct_world *world, sct_matrix *x[3]) {
    const sct_options options = options_of();
    int before = live;
    broken = sct_world_rank(world) == 1;
    CHECK(try(x, &one, &zero, &options) == SCT_FAILED);
    broken = false;
    CHECK_CASE(live == before - 1, "%d allocations are kept, not %d", live, before - 1);
    multiply(world, x, one);
    expect("after a failure", 1, 1, 0);
    const double other = sct_world_rank(world);
    CHECK(try(x, &other, &zero, &options) == SCT_DISAGREE);
    CHECK(try(x, sct_world_rank(world) ? NULL : &one, &zero, &options) == SCT_BAD_ARGUMENT);
    multiply(world, x, two);
}

/* One rank finds its product, the other makes a new one each time. */
static void try_ranks_that_differ(sct_world *world, sct_matrix *x[3]) {
    enum { TIMES = 4 };
    sct_options options = options_of();
    options.workspace = 1 << 20;
    CHECK(try(x, &one, &zero, &options) == SCT_OK);
    plans = jobs = 0;
    for (int i = 1; i <= TIMES; i++) {
        options.workspace += sct_world_rank(world) == 1;
        CHECK_CASE(try(x, &one, &zero, &options) == SCT_OK, "%s", sct_last_reason());
    }
    int made = sct_world_rank(world) == 1 ? TIMES : 0;
    expect("ranks that differ", made, made, 0);
}

static void multiply_halves(sct_matrix *x[3], int64_t rows) {
    const float single = 1, none = 0;
    sct_view a = sct_whole(x[A]), c = sct_whole(x[C]);
    a.slice.rows.hi = c.slice.rows.hi = rows;
    CHECK_CASE(sct_multiply(SCT_N, SCT_N, &single, a, sct_whole(x[B]), &none, c, NULL) == SCT_OK,
               "%s", sct_last_reason());
}

/* The sums of a C of f16 are memory of all ranks. They are opened once, also for other matrices of
 * the shape; other shapes have their own. */
static void try_halves(sct_world *world) {
    sct_matrix *x[3], *y[3];
    make(world, SCT_F16, x);
    make(world, SCT_F16, y);
    meetings_counted();
    multiply_halves(x, SIZE);
    int first = meetings_counted();
    multiply_halves(x, SIZE);
    int again = meetings_counted();
    CHECK_CASE(again < first, "%d meetings, then %d", first, again);
    expect("halves", 1, 1, 0);
    multiply_halves(y, SIZE);
    int other = meetings_counted();
    CHECK_CASE(other == again, "%d meetings, not %d", other, again);
    expect("halves of other matrices", 0, 1, 0);
    CHECK_CASE(world->scratch.count == 1, "%d are kept", world->scratch.count);
    for (int64_t rows = 1; rows < SIZE; rows++)
        multiply_halves(x, rows);
    CHECK_CASE(world->scratch.count == SCT_SCRATCH_MOST, "%d are kept", world->scratch.count);
    meetings_counted();
    multiply_halves(x, SIZE - 1);
    multiply_halves(x, 1);
    int last_and_oldest = meetings_counted();
    CHECK_CASE(last_and_oldest == again + first, "%d meetings, not %d", last_and_oldest,
               again + first);
    plans = jobs = 0;
    destroy(x);
    destroy(y);
}

/* ---- Products as two calls ---- */

static void start(sct_matrix *x[3], const double *alpha, sct_multiplying **started) {
    const sct_options options = options_of();
    CHECK_CASE(sct_multiply_start(SCT_N, SCT_N, alpha, sct_whole(x[A]), sct_whole(x[B]), &zero,
                                  sct_whole(x[C]), &options, started) == SCT_OK,
               "%s", sct_last_reason());
}

/* One that is started is not found by another. */
static void try_two_at_once(sct_world *world, sct_matrix *x[3]) {
    sct_matrix *y[3];
    sct_multiplying *first, *second;
    make(world, SCT_F64, y);
    multiply(world, x, one);
    multiply(world, y, one);
    plans = jobs = 0;
    start(x, &one, &first);
    start(y, &two, &second);
    CHECK(sct_multiply_wait(second) == SCT_OK && sct_multiply_wait(first) == SCT_OK);
    double wanted = SIZE, twice = 2 * SIZE;
    matrix_check_f64(world, x[C], wanted);
    matrix_check_f64(world, y[C], twice);
    start(x, &one, &first);
    start(x, &one, &second);
    expect("two at once", 0, 1, 0);
    CHECK(sct_multiply_wait(first) == SCT_OK && sct_multiply_wait(second) == SCT_OK);
    start(x, &one, &first);
    start(y, &one, &second);
    bool last = sct_world_rank(world) == 1;
    CHECK(sct_multiply_wait(last ? second : first) == SCT_DISAGREE);
    CHECK(sct_multiply_wait(last ? first : second) == SCT_DISAGREE);
    destroy(y);
    multiply(world, x, one);
}

/* ---- Copies ---- */

static void try_copies(sct_world *world, sct_matrix *x[3]) {
    sct_view to[] = {sct_whole(x[B]), sct_whole(x[C])};
    sct_copying *copying[2];
    for (int i = 0; i < 3; i++)
        CHECK(sct_copy(SCT_T, sct_whole(x[A]), to[0], NULL) == SCT_OK);
    expect("copies", 0, 0, 1);
    for (int times = 0; times < 2; times++) {
        for (int i = 0; i < 2; i++)
            CHECK(sct_copy_start(SCT_T, sct_whole(x[A]), to[i], NULL, &copying[i]) == SCT_OK);
        for (int i = 0; i < 2; i++)
            CHECK(sct_copy_wait(copying[i]) == SCT_OK);
    }
    expect("two copies", 0, 0, 1);
    double wanted = 1;
    matrix_check_f64(world, x[B], wanted);
    matrix_check_f64(world, x[C], wanted);
}

static int work(sct_world *world, void *arg) {
    sct_matrix *x[3];
    (void)arg;
    start_counting(world);
    make(world, SCT_F64, x);
    try_again(world, x);
    try_other_matrices(world, x);
    try_failure(world, x);
    try_ranks_that_differ(world, x);
    try_halves(world);
    try_two_at_once(world, x);
    plans = jobs = movers = 0;
    try_copies(world, x);
    destroy(x);
    CHECK_CASE(live == 0, "%d allocations are left", live);
    stop_counting(world);
    return 0;
}

/* ---- The option of the world ---- */

static int alternate(sct_world *world, void *arg) {
    const int *bound = arg;
    sct_matrix *x[3], *y[3];
    make(world, SCT_F64, x);
    make(world, SCT_F64, y);
    plans = jobs = movers = 0;
    for (int i = 0; i < 3; i++) {
        multiply(world, x, one);
        multiply(world, y, one);
    }
    expect("two products in turns", world->recent.most == 0 ? 6 : 1, *bound, 0);
    destroy(x);
    destroy(y);
    return 0;
}

static void try_option(int most, int bound) {
    emulated_options emulated = {.host = 1, .ranks_per_node = 1};
    sct_world_options world = emulated_world(&emulated);
    world.recent_calls = most;
    CHECK(sct_run(RANKS, &world, alternate, &bound) == SCT_OK);
}

int main(void) {
    emulated_options emulated = {.host = 1, .ranks_per_node = 1};
    const sct_world_options world = emulated_world(&emulated);
    CHECK(sct_run(RANKS, &world, work, NULL) == SCT_OK);
    try_option(0, 2);
    try_option(2, 2);
    try_option(1, 6);
    try_option(-1, 6);
    return check_report("recent_calls");
}
