/* beta_zero.c - products with beta = 0 into uninitialized memory; then every element of C is
 * checked. Run it under a tool that finds reads of uninitialized memory. */
#include "engine/emulated.h"
#include "whole/support/elements.h"

enum { M = 13, N = 11, K = 17 };

static const struct setting {
    int ranks;
    const char *a, *b, *c;
    sct_type type;
    sct_stay stay;
    emulated_options emulated;
} settings[] = {
    {1, "row", "row", "row", SCT_F64, SCT_STAY_C, {.host = 1}},
    {4, "2d", "cyclic:3x2", "row*2", SCT_F32, SCT_STAY_C, {.host = 1}},
    {4, "2d", "cyclic:3x2", "row*2", SCT_F16, SCT_STAY_C, {.host = 1}},
    {4, "row", "col", "col*2/f", SCT_F16, SCT_STAY_A, {.host = 1}},
    {4, "row", "col", "col*4/f", SCT_CF64, SCT_STAY_A, {.host = 1}},
    {4, "col", "row", "cuts:2x1@3,0,1,2", SCT_CF32, SCT_STAY_B, {.host = 1}},
    {3, "row", "col*3", "cyclic:2x3*3", SCT_F64, SCT_STAY_B, {.host = 1, .ranks_per_node = 1}},
    {4,
     "col*2",
     "2d",
     "2d*2",
     SCT_F32,
     SCT_STAY_A,
     {.host = 1, .ranks_per_node = 2, .deferred = 1}},
};

static const source source_a = {1, 4}, source_b = {2, 4};

typedef struct reader {
    sct_type type;
    bool product; /* the expected result; else all zeros */
    int wrong;
} reader;

static void read_element(void *context, int64_t row, int64_t col, void *at) {
    reader *r = context;
    element want = {0, 0}, is = element_get(r->type, at, 0);
    for (int64_t l = 0; l < K && r->product; l++)
        want = element_plus(want, element_times(source_element(r->type, source_a, row, l),
                                                source_element(r->type, source_b, l, col)));
    r->wrong += is.re != want.re || is.im != want.im;
}

/* With alpha = 1; then, into other uninitialized memory, with alpha = 0. */
static int rank_main(sct_world *world, void *arg) {
    const struct setting *s = arg;
    sct_matrix *a = matrix_new(world, s->type, s->a, M, K),
               *b = matrix_new(world, s->type, s->b, K, N);
    matrix_fill(world, a, source_a);
    matrix_fill(world, b, source_b);
    for (int alpha = 1; alpha >= 0; alpha--) {
        sct_matrix *c = matrix_new(world, s->type, s->c, M, N);
        sct_type sum = sct_type_sum(s->type);
        sct_scalar factor = sct_scalar_real(sum, alpha), zero = sct_scalar_real(sum, 0);
        sct_options options = {.size = sizeof options, .stay = s->stay};
        CHECK(sct_multiply(SCT_N, SCT_N, &factor, sct_whole(a), sct_whole(b), &zero, sct_whole(c),
                           &options) == SCT_OK);
        reader r = {s->type, alpha == 1, 0};
        matrix_read(world, c, read_element, &r);
        CHECK(r.wrong == 0);
        sct_matrix_destroy(c);
    }
    sct_matrix_destroy(a);
    sct_matrix_destroy(b);
    return 0;
}

int main(void) {
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        emulated_options emulated = settings[i].emulated;
        const sct_world_options world = emulated_world(&emulated);
        CHECK(sct_run(settings[i].ranks, &world, rank_main, (void *)&settings[i]) == SCT_OK);
    }
    return check_report("beta_zero");
}
