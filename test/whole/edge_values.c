/* edge_values.c - products with NaN, infinities, subnormals and factors of 0; random reals within
 * their error bound; one matrix as both operands. The numbers only identify the cases. */
#include "engine/emulated.h"
#include "whole/support/elements.h"
#include "whole/support/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The ranks, layouts and options in which every case runs. */
typedef struct setting {
    int ranks;
    const char *layout[REFERENCE_MATRICES];
    sct_op op[2];
    sct_stay stay;
    sct_slicing slicing;
    emulated_options emulated;
} setting;

static const setting settings[] = {
    {.ranks = 1, .layout = {"row", "row", "row"}},
    {.ranks = 4,
     .layout = {"2d", "cyclic:3x2", "row*2"},
     .op = {SCT_N, SCT_T},
     .emulated = {.seed = 1, .ranks_per_node = 1, .delay_us = 30}},
    {.ranks = 4,
     .layout = {"col", "row", "cyclic:2x3*2/f"},
     .op = {SCT_C, SCT_N},
     .stay = SCT_STAY_C,
     .emulated = {.deferred = 1}},
    {.ranks = 6,
     .layout = {"2d:2x3", "col*3/f", "2d:1x3*2"},
     .op = {SCT_T, SCT_C},
     .stay = SCT_STAY_A,
     .emulated = {.seed = 2, .ranks_per_node = 2, .delay_us = 30, .deferred = 1}},
    {.ranks = 4,
     .layout = {"cyclic:2x2", "row", "cuts:2x1@3,0,1,2"},
     .stay = SCT_STAY_B,
     .slicing = SCT_SLICE_TILE},
    {.ranks = 4,
     .layout = {"col/f", "2d", "col*4"},
     .op = {SCT_T, SCT_T},
     .stay = SCT_STAY_B,
     .emulated = {.seed = 3, .ranks_per_node = 1}},
};
enum { SETTINGS = sizeof settings / sizeof *settings, TYPES = 6 };

/* What C must be afterwards. */
typedef enum expectation {
    LIKE_REFERENCE,
    WITHIN_BOUND,
    SAME_BITS, /* unchanged */
    ZEROS      /* all +0 */
} expectation;

typedef struct values {
    const char *name;
    int64_t m, n, k;
    void (*arrange)(reference *s);
    expectation expectation;
    bool reals;        /* random reals, not small integers */
    bool poison;       /* C begins as NaN, infinity and signalling NaN */
    bool absent;       /* A and B have no memory */
    bool no_transfers; /* no transfers allowed */
    bool a_is_b;       /* the same matrix is A and B */
    int times;         /* how often a job runs; 0: one call */
} values;

/* One case in one setting. */
typedef struct run {
    const values *which;
    const setting *where;
    const reference *reference;
} run;

typedef struct rank_state {
    const run *run;
    sct_world *world;
    sct_matrix *matrix[REFERENCE_MATRICES];
    int index;    /* of the matrix being visited */
    char *before; /* C's bytes, in the order of the visit */
    size_t at;
    int64_t wrong;
} rank_state;

/* ---- Element visitors ---- */

static void put_reference(void *context, int64_t row, int64_t col, void *at) {
    const rank_state *self = context;
    const reference *s = self->run->reference;
    element_put(s->type, at, 0, s->matrix[self->index][row * s->cols[self->index] + col]);
}

static void put_poison(void *context, int64_t row, int64_t col, void *at) {
    static const uint32_t floats[] = {0x7fc00000, 0x7f800000, 0x7f800001};
    static const uint64_t doubles[] = {0x7ff8000000000000, 0x7ff0000000000000, 0x7ff0000000000001};
    static const uint16_t f16s[] = {0x7e00, 0x7c00, 0x7c01}, bf16s[] = {0x7fc0, 0x7f80, 0x7f81};
    int64_t kind = (row + col) % 3;
    const void *const bits[] = {[SCT_F32] = &floats[kind],
                                [SCT_F64] = &doubles[kind],
                                [SCT_F16] = &f16s[kind],
                                [SCT_BF16] = &bf16s[kind]};
    sct_type type = ((const rank_state *)context)->run->reference->type,
             of_part = sct_type_part(type);
    size_t bytes = sct_type_bytes(of_part);
    for (size_t part = 0; part < sct_type_bytes(type) / bytes; part++)
        memcpy((char *)at + part * bytes, bits[of_part], bytes);
}

static void keep_bits(void *context, int64_t row, int64_t col, void *at) {
    rank_state *self = context;
    size_t bytes = sct_type_bytes(self->run->reference->type);
    (void)row;
    (void)col;
    memcpy(self->before + self->at, at, bytes);
    self->at += bytes;
}

static bool is_positive_zero(element e) {
    return e.re == 0 && e.im == 0 && !signbit(e.re) && !signbit(e.im);
}

static void judge(void *context, int64_t row, int64_t col, void *at) {
    rank_state *self = context;
    const reference *s = self->run->reference;
    expectation expected = self->run->which->expectation;
    size_t bytes = sct_type_bytes(s->type);
    element is = element_get(s->type, at, 0);
    bool right = expected == SAME_BITS ? memcmp(self->before + self->at, at, bytes) == 0
                 : expected == ZEROS   ? is_positive_zero(is)
                                     : reference_matches(s, row, col, is, expected == WITHIN_BOUND);
    self->wrong += !right;
    self->at += bytes;
}

static void put(rank_state *self, int index, element_visitor *visitor) {
    self->index = index;
    matrix_write(self->world, self->matrix[index], visitor, self);
}

static void look(rank_state *self, int index, element_visitor *visitor) {
    self->index = index;
    self->at = 0;
    matrix_read(self->world, self->matrix[index], visitor, self);
}

/* ---- One rank ---- */

static sct_status make_matrix(rank_state *self, int index) {
    const reference *s = self->run->reference;
    sct_layout *layout = layout_of(self->run->where->layout[index], s->rows[index], s->cols[index],
                                   sct_world_size(self->world));
    bool absent = self->run->which->absent && index != REFERENCE_C;
    sct_status status =
        absent ? sct_matrix_wrap(self->world, s->type, layout, NULL, 0, &self->matrix[index])
               : sct_matrix_create(self->world, s->type, layout, &self->matrix[index]);
    sct_layout_destroy(layout);
    if (!status && !absent)
        put(self, index, put_reference);
    return status;
}

static sct_status multiply_once(const rank_state *self, sct_view a, sct_view b, sct_view c,
                                const sct_options *options) {
    const reference *s = self->run->reference;
    sct_type sum = sct_type_sum(s->type);
    sct_scalar alpha = element_scalar(sum, s->alpha), beta = element_scalar(sum, s->beta);
    return sct_multiply(s->op[0], s->op[1], &alpha, a, b, &beta, c, options);
}

/* Runs one job many times from the same C. */
static sct_status multiply_often(rank_state *self, sct_view a, sct_view b, sct_view c,
                                 const sct_options *options) {
    const char *most = getenv("SECTILE_TEST_TRIALS"); /* set where runs take long */
    int times = self->run->which->times;
    times = most && atoi(most) < times ? atoi(most) : times;
    const reference *s = self->run->reference;
    sct_type sum = sct_type_sum(s->type);
    sct_scalar alpha = element_scalar(sum, s->alpha), beta = element_scalar(sum, s->beta);
    sct_problem problem = {.size = sizeof problem,
                           .type = s->type,
                           .op_a = s->op[0],
                           .op_b = s->op[1],
                           .a = sct_matrix_layout(a.matrix),
                           .b = sct_matrix_layout(b.matrix),
                           .c = sct_matrix_layout(c.matrix),
                           .ranks = sct_world_size(self->world),
                           .ranks_per_node = self->run->where->emulated.ranks_per_node};
    sct_plan *plan;
    sct_job *job = NULL;
    sct_status status = sct_plan_create(&problem, sct_world_rank(self->world), options, &plan);
    if (status)
        return status;
    status = sct_job_create(self->world, plan, a, b, c, &job);
    for (int i = 0; i < times && !status; i++) {
        put(self, REFERENCE_C, put_reference);
        status = sct_job_start(job, &alpha, &beta);
        if (!status)
            status = sct_job_wait(job);
        look(self, REFERENCE_C, judge);
    }
    sct_job_destroy(job);
    sct_plan_destroy(plan);
    return status;
}

static sct_status multiply(rank_state *self) {
    const values *which = self->run->which;
    const setting *where = self->run->where;
    sct_options options = {.size = sizeof options, .stay = where->stay, .slicing = where->slicing};
    sct_view a = sct_whole(self->matrix[REFERENCE_A]), c = sct_whole(self->matrix[REFERENCE_C]);
    sct_view b = sct_whole(self->matrix[which->a_is_b ? REFERENCE_A : REFERENCE_B]);
    return which->times ? multiply_often(self, a, b, c, &options)
                        : multiply_once(self, a, b, c, &options);
}

static bool moved_nothing(const sct_world *world) {
    sct_traffic traffic = sct_world_traffic(world);
    return traffic.bytes_got == 0 && traffic.bytes_accumulated == 0 && traffic.bytes_in_place == 0;
}

static int rank_main(sct_world *world, void *arg) {
    rank_state self = {.run = arg, .world = world};
    const values *which = self.run->which;
    const reference *s = self.run->reference;
    self.before = malloc((size_t)(s->m * s->n + 1) * sct_type_bytes(s->type));
    for (int i = 0; i < REFERENCE_MATRICES; i++)
        CHECK_CASE(make_matrix(&self, i) == SCT_OK, "%s: %s", which->name, sct_last_reason());
    if (which->poison)
        put(&self, REFERENCE_C, put_poison);
    look(&self, REFERENCE_C, keep_bits);
    CHECK_CASE(multiply(&self) == SCT_OK, "%s: %s", which->name, sct_last_reason());
    look(&self, REFERENCE_C, judge);
    CHECK_CASE(self.wrong == 0, "%s: %s, setting %d, rank %d: %lld elements are wrong", which->name,
               sct_type_name(s->type), (int)(self.run->where - settings), sct_world_rank(world),
               (long long)self.wrong);
    CHECK_CASE(!which->no_transfers || moved_nothing(world), "%s: something was moved",
               which->name);
    for (int i = 0; i < REFERENCE_MATRICES; i++)
        sct_matrix_destroy(self.matrix[i]);
    free(self.before);
    return 0;
}

static void run_case(const values *which) {
    for (int i = 0; i < SETTINGS * TYPES; i++) {
        const setting *where = &settings[i / TYPES];
        reference s = reference_new((sct_type)(i % TYPES), where->op, which->m, which->n, which->k,
                                    (uint64_t)i, which->reals ? 0 : 4);
        if (which->arrange)
            which->arrange(&s);
        reference_solve(&s);
        run r = {which, where, &s};
        emulated_options emulated = where->emulated;
        emulated.host = 1;
        const sct_world_options options = emulated_world(&emulated);
        sct_status status = sct_run(where->ranks, &options, rank_main, &r);
        CHECK_CASE(status == SCT_OK, "%s: %s", which->name, sct_last_reason());
        reference_free(&s);
    }
}

/* ---- The cases ---- */

static void set_all(reference *s, int matrix, element value) {
    for (int64_t i = 0; i < s->rows[matrix] * s->cols[matrix]; i++)
        s->matrix[matrix][i] = value;
}

/* An element of op(A) or op(B), or of C. */
static element *at(reference *s, int matrix, int64_t row, int64_t col) {
    bool turned = matrix != REFERENCE_C && s->op[matrix] != SCT_N;
    int64_t index = turned ? col * s->cols[matrix] + row : row * s->cols[matrix] + col;
    return &s->matrix[matrix][index];
}

static void set_factors(reference *s, double alpha, double beta) {
    s->alpha = (element){alpha, 0};
    s->beta = (element){beta, 0};
}

/* Fills C with values of which some compare unequal to themselves or differ only in their bits. */
static void spoil_c(reference *s) {
    static const double odd[] = {NAN, -0.0, INFINITY, 0x1p-140, 3};
    for (int64_t i = 0; i < s->m * s->n; i++)
        s->matrix[REFERENCE_C][i].re = odd[i % 5];
}

static void set_c_to_nine(reference *s) {
    set_all(s, REFERENCE_C, (element){9, 0});
    set_factors(s, 1, 2);
}

static void set_c_to_nan(reference *s) {
    set_all(s, REFERENCE_C, (element){NAN, NAN});
}

static void keep_c(reference *s) {
    spoil_c(s);
    set_factors(s, 1, 1);
}

static void ignore_nan(reference *s) {
    spoil_c(s);
    *at(s, REFERENCE_A, 0, 1) = (element){NAN, 0};
    *at(s, REFERENCE_B, 1, 0) = (element){NAN, 0};
    set_factors(s, 0, 1);
}

static void ignore_everything(reference *s) {
    for (int matrix = 0; matrix < REFERENCE_MATRICES; matrix++)
        set_all(s, matrix, (element){NAN, NAN});
    set_factors(s, 0, 0);
}

static void scale_only(reference *s) {
    set_factors(s, 0, -3);
}

static void spread_nan(reference *s) {
    *at(s, REFERENCE_A, 3, 5) = (element){NAN, 0};
    set_factors(s, 2, 1);
}

static void multiply_infinity_by_zero(reference *s) {
    *at(s, REFERENCE_A, 3, 5) = (element){INFINITY, 0};
    for (int64_t j = 0; j < s->n; j++)
        *at(s, REFERENCE_B, 5, j) = (element){(double)(j % 2), 0};
}

static void scale_by_nan(reference *s) {
    set_factors(s, 0, NAN);
}

/* Each element of op(A) op(B) is a single product, so the order of sums does not matter. */
static void leave_range(reference *s) {
    static const double tinies[] = {0x1p-70, 0x1p-530, 0x1p-70, 0x1p-530, 0x1p-12, 0x1p-66};
    static const double huges[] = {0x1p70, 0x1p600, 0x1p70, 0x1p600, 0x1p10, 0x1p70};
    double tiny = tinies[s->type], huge = huges[s->type];
    const double left[] = {3 * tiny, huge, -huge, -0.0, 1}, right[] = {tiny, huge, 1, -0.0};
    set_all(s, REFERENCE_A, (element){0, 0});
    for (int64_t i = 0; i < s->m; i++)
        at(s, REFERENCE_A, i, i)->re = left[i % 5];
    for (int64_t l = 0; l < s->k; l++)
        for (int64_t j = 0; j < s->n; j++)
            *at(s, REFERENCE_B, l, j) = (element){right[j % 4], 0};
    set_all(s, REFERENCE_C, (element){-tiny * tiny, 0});
    set_factors(s, 1, 1);
}

static void set_odd_factors(reference *s) {
    bool complex = sct_type_complex(s->type);
    s->alpha = (element){1.25, complex ? -0.5 : 0};
    s->beta = (element){-0.75, complex ? 2 : 0};
}

static void multiply_by_itself(reference *s) {
    size_t count = (size_t)(s->rows[REFERENCE_A] * s->cols[REFERENCE_A]);
    memcpy(s->matrix[REFERENCE_B], s->matrix[REFERENCE_A], count * sizeof(element));
    set_factors(s, 1, -1);
}

static const values cases[] = {
    {"2: k is 0, beta is 2, C is 9", .m = 5, .n = 7, .k = 0, .arrange = set_c_to_nine,
     .no_transfers = true},
    {"3: k is 0, beta is 0, C is NaN", .m = 5, .n = 7, .k = 0, .arrange = set_c_to_nan,
     .expectation = ZEROS, .no_transfers = true},
    {"4: k is 0, beta is 1", .m = 5, .n = 7, .k = 0, .arrange = keep_c, .expectation = SAME_BITS,
     .no_transfers = true},
    {"5, 6: beta is 0, C is NaN in every replica", .m = 13, .n = 11, .k = 17,
     .arrange = set_c_to_nan},
    {"5, 6: beta is 0, C is NaN, infinite, signalling", .m = 13, .n = 11, .k = 17, .poison = true},
    {"7: alpha is 0, NaN in A and B, 2 x 2", .m = 2, .n = 2, .k = 2, .arrange = ignore_nan,
     .expectation = SAME_BITS, .no_transfers = true},
    {"7: alpha is 0, NaN in A and B, 33 x 33", .m = 33, .n = 33, .k = 33, .arrange = ignore_nan,
     .expectation = SAME_BITS, .no_transfers = true},
    {"7: alpha is 0, NaN in A and B, 100 x 100", .m = 100, .n = 100, .k = 100,
     .arrange = ignore_nan, .expectation = SAME_BITS, .no_transfers = true},
    {"8: alpha and beta are 0, all is NaN", .m = 13, .n = 11, .k = 17, .arrange = ignore_everything,
     .expectation = ZEROS},
    {"9: alpha is 0, A and B without memory", .m = 13, .n = 11, .k = 17, .arrange = scale_only,
     .absent = true},
    {"10: one NaN in A", .m = 13, .n = 11, .k = 17, .arrange = spread_nan},
    {"11: infinity in A against zeros in B", .m = 13, .n = 11, .k = 17,
     .arrange = multiply_infinity_by_zero},
    {"12: beta is NaN, alpha is 0", .m = 13, .n = 11, .k = 17, .arrange = scale_by_nan},
    {"13: subnormals, -0.0, overflow", .m = 13, .n = 11, .k = 17, .arrange = leave_range},
    {"15: random reals", .m = 37, .n = 29, .k = 53, .arrange = set_odd_factors,
     .expectation = WITHIN_BOUND, .reals = true},
    {"17: one plan many times", .m = 9, .n = 8, .k = 11, .arrange = set_odd_factors,
     .expectation = WITHIN_BOUND, .reals = true, .times = 100},
    {"37: a matrix times itself", .m = 13, .n = 13, .k = 13, .arrange = multiply_by_itself,
     .a_is_b = true},
};

int main(void) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&cases[i]);
    return check_report("edge_values");
}
