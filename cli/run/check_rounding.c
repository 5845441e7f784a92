/* check_rounding.c - checks C within the rounding bound, element by element in higher precision. */
#include "ranks/home_tiles.h"
#include "run/check.h"
#include "values/rounding_bound.h"

#include <math.h>

/* Of a product with more multiplications, only a sample of C is checked. */
static const double most_products = 1 << 26;

enum { SAMPLES = 4096, CORNERS = 4 };

/* Sequences of random numbers besides those of the matrices. */
enum { DRAW_ROW = MATRICES, DRAW_COL };

struct bound {
    const struct generated_problem *generated;
    struct verdict *verdict;
    struct rounding_bound rounding;
};

static long double size_of(struct number x) {
    long double re = x.re, im = x.im;
    if (im == 0)
        return fabsl(re);
    return sqrtl(re * re + im * im);
}

/* sum += x y */
static void add(struct wide *sum, struct number x, struct number y) {
    sum->re += (long double)x.re * y.re - (long double)x.im * y.im;
    sum->im += (long double)x.re * y.im + (long double)x.im * y.re;
    sum->size += size_of(x) * size_of(y);
}

/* Element (row, col) of the product, with rounding errors far below those of any type. */
static struct wide exact_element(const struct generated_problem *generated, int64_t row,
                                 int64_t col) {
    struct wide sum = {0, 0, 0};
    struct number alpha = generated->alpha;
    for (int64_t l = 0; l < generated->problem->args->shape.k; l++)
        add(&sum, generated_problem_operand(generated, MATRIX_A, row, l),
            generated_problem_operand(generated, MATRIX_B, l, col));
    struct wide scaled = {alpha.re * sum.re - alpha.im * sum.im,
                          alpha.re * sum.im + alpha.im * sum.re, size_of(alpha) * sum.size};
    if (generated->beta.re != 0 || generated->beta.im != 0)
        add(&scaled, generated->beta, generated_problem_operand(generated, MATRIX_C, row, col));
    return scaled;
}

/* Checks element (row, col) of the stored C, in this block of its tile. */
static void check_element(struct bound *bound, const sct_slice *bounds, const sct_block *block,
                          int64_t row, int64_t col) {
    const struct generated_problem *generated = bound->generated;
    sct_type type = args_type(generated->problem->args, MATRIX_C);
    struct number is =
        element_load(type, element_at(type, block, row - bounds->rows.lo, col - bounds->cols.lo));
    struct verdict *verdict = bound->verdict;
    const sct_slice *view = &generated->problem->view[MATRIX_C];
    struct wide was = exact_element(generated, row - view->rows.lo, col - view->cols.lo);
    double used = rounding_bound_used(&bound->rounding, &was, is);
    verdict->checked++;
    verdict->worst = fmax(verdict->worst, used);
    if (used <= 1 || verdict->wrong++ > 0)
        return;
    verdict->place = (struct place){row, col};
    verdict->is = is;
    verdict->was = (struct number){(double)was.re, (double)was.im};
}

static void check_tile(const sct_slice *bounds, const sct_block *block, void *context) {
    struct bound *bound = context;
    const sct_slice *view = &bound->generated->problem->view[MATRIX_C];
    for (int64_t row = bounds->rows.lo; row < bounds->rows.hi; row++)
        for (int64_t col = bounds->cols.lo; col < bounds->cols.hi; col++)
            if (generated_problem_inside(view, row, col))
                check_element(bound, bounds, block, row, col);
}

/* Place `index` of the sample; the corners come first. Every rank draws the same places and checks
 * those that it owns. */
static struct place draw(const struct generated_problem *generated, int64_t index) {
    const struct shape *shape = &generated->problem->args->shape;
    if (index < CORNERS)
        return (struct place){index / 2 * (shape->m - 1), index % 2 * (shape->n - 1)};
    return (struct place){source_draw(&generated->source, DRAW_ROW, index, shape->m),
                          source_draw(&generated->source, DRAW_COL, index, shape->n)};
}

/* One element to check. */
struct sample {
    struct bound *bound;
    struct place place;
};

static void check_sample(const sct_slice *bounds, const sct_block *block, void *context) {
    const struct sample *sample = context;
    check_element(sample->bound, bounds, block, sample->place.row, sample->place.col);
}

static sct_status check_samples(const sct_world *world, struct bound *bound, sct_matrix *c) {
    for (int64_t i = 0; i < CORNERS + SAMPLES; i++) {
        struct place drawn = draw(bound->generated, i);
        struct place place =
            problem_place(bound->generated->problem, MATRIX_C, drawn.row, drawn.col);
        struct sample sample = {bound, place};
        sct_status status = tiles_find(world, c, place.row, place.col, check_sample, &sample);
        if (status != SCT_OK)
            return status;
    }
    return SCT_OK;
}

sct_status check_bound(const sct_world *world, const struct generated_problem *generated,
                       sct_matrix *c, struct verdict *verdict) {
    const struct args *args = generated->problem->args;
    const struct shape *shape = &args->shape;
    sct_type sum = sct_type_sum(generated->source.type);
    struct bound bound = {generated, verdict,
                          rounding_bound_create(sum, args_type(args, MATRIX_C),
                                                (sct_math)args->math, shape->k, generated->alpha)};
    double products = (double)shape->m * (double)shape->n * fmax((double)shape->k, 1);
    if (products <= most_products)
        return tiles_visit(world, c, TILES_READ, check_tile, &bound);
    return check_samples(world, &bound, c);
}
