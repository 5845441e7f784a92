/* half_types.c - what is special about f16 and bf16: sums are kept in f32 and rounded once, and
 * elements move as 2 bytes. */
#include "engine/emulated.h"
#include "whole/support/collective_errors.h"
#include "whole/support/elements.h"

#include <math.h>

enum { RANKS = 3, K = 3 };

/* C = A B + beta C, where A is 1 x 3 and B is 3 x 1. */
typedef struct sum {
    const char *name;
    sct_type type, type_c;
    double a[K], b[K], beta, before, want;
} sum;

static const sum sums[] = {
    {"rounded once", SCT_BF16, SCT_BF16, {256, 1, 1}, {1, 1, 1}, 0, NAN, 258},
    {"rounded once", SCT_F16, SCT_F16, {2048, 1, 1}, {1, 1, 1}, 0, NAN, 2050},
    {"C's own value is not rounded away", SCT_BF16, SCT_BF16, {1, 1, 0}, {1, 1, 1}, 1, 256, 258},
    {"beta is no bf16", SCT_BF16, SCT_BF16, {0.75, 0, 0}, {1, 1, 1}, 1 + 0x1p-9, 256, 258},
    {"beta is no f16", SCT_F16, SCT_F16, {0.75, 0, 0}, {1, 1, 1}, 1 + 0x1p-12, 2048, 2050},
    {"ties to even", SCT_BF16, SCT_BF16, {256, 2, 1}, {1, 1, 1}, 0, NAN, 260},
    {"beyond the largest in between",
     SCT_F16,
     SCT_F16,
     {200, -200, 1},
     {400, 300, 5},
     0,
     NAN,
     20000},
    {"beyond the largest", SCT_F16, SCT_F16, {200, 200, 1}, {400, 300, 5}, 0, NAN, INFINITY},
    {"below the least", SCT_F16, SCT_F16, {0x1p-24, 0x1p-24, 0}, {0.5, 0.5, 1}, 0, NAN, 0x1p-24},
    {"C of f32", SCT_BF16, SCT_F32, {256, 1, 1}, {1, 0.5, 1}, 0, NAN, 257.5},
    {"C of f32", SCT_F16, SCT_F32, {2048, 1, 1}, {1, 0.5, 0.125}, 2, 0x1p-8, 2048.6328125},
    {"C of f32 is not f16", SCT_F16, SCT_F32, {200, 200, 1}, {400, 300, 5}, 0, NAN, 140005},
};

/* Where the sum is computed: on one rank, in one product or several, by accumulates from all, or as
 * partial sums of replicas. */
static const struct place {
    const char *a, *b, *c;
    sct_stay stay;
    emulated_options emulated;
} places[] = {
    {"row@1", "row@1", "row@1", SCT_STAY_C, {.host = 1}},
    {"col", "row", "row@1", SCT_STAY_C, {.host = 1}},
    {"col", "row", "row@1", SCT_STAY_C, {.host = 1, .ranks_per_node = 1}},
    {"col", "row", "row@1", SCT_STAY_A, {.host = 1, .deferred = 1}},
    {"col", "row", "row@1", SCT_STAY_B, {.host = 1, .ranks_per_node = 1}},
    {"col", "row", "row@1*3", SCT_STAY_C, {.host = 1}},
    {"col", "row", "row@1*3", SCT_STAY_C, {.host = 1, .ranks_per_node = 2}},
};

typedef struct run {
    const sum *sum;
    const struct place *place;
} run;

typedef struct vector {
    sct_type type;
    const double *value;
} vector;

static void put(void *context, int64_t row, int64_t col, void *at) {
    const vector *v = context;
    element_put(v->type, at, 0, (element){v->value[row + col], 0});
}

static void judge(void *context, int64_t row, int64_t col, void *at) {
    const run *r = context;
    (void)row;
    (void)col;
    element is = element_get(r->sum->type_c, at, 0);
    CHECK_CASE(is.re == r->sum->want, "%s, %s to %s, place %d: %g, not %g", r->sum->name,
               sct_type_name(r->sum->type), sct_type_name(r->sum->type_c), (int)(r->place - places),
               is.re, r->sum->want);
}

static sct_matrix *make(sct_world *world, const char *text, int64_t rows, int64_t cols,
                        sct_type type, const double *values) {
    sct_matrix *matrix = matrix_new(world, type, text, rows, cols);
    matrix_write(world, matrix, put, &(vector){type, values});
    return matrix;
}

static int add_up(sct_world *world, void *arg) {
    run *r = arg;
    const sum *s = r->sum;
    sct_matrix *a = make(world, r->place->a, 1, K, s->type, s->a);
    sct_matrix *b = make(world, r->place->b, K, 1, s->type, s->b);
    sct_matrix *c = make(world, r->place->c, 1, 1, s->type_c, &s->before);
    sct_options options = {.size = sizeof options, .stay = r->place->stay};
    float alpha = 1, beta = (float)s->beta;
    CHECK_CASE(sct_multiply(SCT_N, SCT_N, &alpha, sct_whole(a), sct_whole(b), &beta, sct_whole(c),
                            &options) == SCT_OK,
               "%s: %s", s->name, sct_last_reason());
    matrix_read(world, c, judge, r);
    sct_matrix_destroy(c);
    sct_matrix_destroy(b);
    sct_matrix_destroy(a);
    return 0;
}

/* A plan for devices that multiply f16 as it is. */
static void refuse_plan(sct_world *world, sct_view a, sct_view b, sct_view c) {
    sct_problem problem = {.size = sizeof problem,
                           .type = SCT_F16,
                           .a = sct_matrix_layout(a.matrix),
                           .b = sct_matrix_layout(b.matrix),
                           .c = sct_matrix_layout(c.matrix),
                           .ranks = RANKS,
                           .ranks_per_node = sct_world_ranks_per_node(world),
                           .gpus = SCT_GPUS_HALVES};
    sct_plan *plan = NULL;
    sct_job *job = NULL;
    CHECK(sct_plan_create(&problem, sct_world_rank(world), NULL, &plan) == SCT_OK);
    check_refused(sct_job_create(world, plan, a, b, c, &job),
                  "the plan is for GPUs that multiply f16 as it is, which this rank cannot do");
    sct_plan_destroy(plan);
}

/* f16 and bf16 cannot be accumulated or reduced, and types that do not match are refused. */
static int refuse(sct_world *world, void *arg) {
    static const double ones[K] = {1, 1, 1};
    (void)arg;
    sct_matrix *a = make(world, "col", 1, K, SCT_F16, ones);
    sct_matrix *other = make(world, "row", K, 1, SCT_BF16, ones);
    sct_matrix *b = make(world, "row", K, 1, SCT_F16, ones);
    sct_matrix *c = make(world, "row@1*3", 1, 1, SCT_F16, ones);
    sct_matrix *wide = make(world, "row@1*3", 1, 1, SCT_F64, ones);
    sct_options partial = {.size = sizeof partial, .result = SCT_RESULT_PARTIAL};
    sct_view va = sct_whole(a), vb = sct_whole(b), vc = sct_whole(c);
    float one = 1;
    uint16_t half = 0;
    sct_block block = {.data = &half, .ld = 1, .rows = 1, .cols = 1};
    check_refused(sct_multiply(SCT_N, SCT_N, &one, va, vb, &one, vc, &partial), "partial sums");
    check_refused(sct_multiply(SCT_N, SCT_N, &one, va, vb, &one, sct_whole(wide), NULL),
                  "A is f16, but C is f64");
    check_refused(sct_multiply(SCT_N, SCT_N, &one, va, sct_whole(other), &one, vc, NULL),
                  "A is f16, but B is bf16");
    check_refused(sct_matrix_accumulate_tile(c, (sct_tile){0, 0}, 0, &block),
                  "cannot be accumulated");
    check_refused(sct_matrix_reduce_replicas(c, 0), "cannot be accumulated");
    CHECK(sct_matrix_broadcast_replica(c, 1) == SCT_OK);
    if (!sct_world_multiplies(world, SCT_F16))
        refuse_plan(world, va, vb, vc);
    sct_matrix *all[] = {wide, c, b, other, a};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sct_matrix_destroy(all[i]);
    return 0;
}

static sct_cost cost_of(sct_type type, int sum_c, sct_stay stay) {
    enum { SIZE = 60 };
    sct_layout *layout[] = {layout_of("row", SIZE, SIZE, RANKS),
                            layout_of("col", SIZE, SIZE, RANKS)};
    sct_problem problem = {.size = sizeof problem,
                           .type = type,
                           .sum_c = sum_c,
                           .a = layout[0],
                           .b = layout[0],
                           .c = layout[1],
                           .ranks = RANKS,
                           .ranks_per_node = 1};
    sct_options options = {.size = sizeof options, .stay = stay};
    sct_plan *plan = NULL;
    sct_cost cost = {.steps = 0};
    CHECK(sct_plan_create(&problem, 1, &options, &plan) == SCT_OK);
    sct_plan_cost(plan, &cost);
    sct_plan_destroy(plan);
    sct_layout_destroy(layout[0]);
    sct_layout_destroy(layout[1]);
    return cost;
}

/* Operands move as 2 bytes per element; sums are accumulated in f32. */
static void check_bytes(sct_type type) {
    for (int sum_c = 0; sum_c < 2; sum_c++) {
        sct_cost half = cost_of(type, sum_c, SCT_STAY_C), single = cost_of(SCT_F32, 0, SCT_STAY_C);
        CHECK(2 * half.bytes_got == single.bytes_got && half.bytes_got > 0);
        half = cost_of(type, sum_c, SCT_STAY_A);
        single = cost_of(SCT_F32, 0, SCT_STAY_A);
        CHECK(2 * half.bytes_got == single.bytes_got);
        CHECK(half.bytes_accumulated == single.bytes_accumulated && half.bytes_accumulated > 0);
    }
    sct_cost rounded = cost_of(type, 0, SCT_STAY_C), wide = cost_of(type, 1, SCT_STAY_C);
    CHECK(rounded.workspace == wide.workspace + 60 * 20 * sizeof(float));
}

int main(void) {
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        for (size_t j = 0; j < sizeof places / sizeof *places; j++) {
            run r = {&sums[i], &places[j]};
            emulated_options emulated = places[j].emulated;
            const sct_world_options world = emulated_world(&emulated);
            CHECK(sct_run(RANKS, &world, add_up, &r) == SCT_OK);
        }
    CHECK(sct_run(RANKS, NULL, refuse, NULL) == SCT_OK);
    check_bytes(SCT_F16);
    check_bytes(SCT_BF16);
    return check_report("half_types");
}
