/* check.c - checks C: exactly, on integers small enough that every sum is exact, by local GEMMs
 * that recompute pieces of the product; or within the rounding bound, element by element in higher
 * precision. */
#include "run/check.h"

#include "ranks/home_tiles.h"
#include "values/rounding_bound.h"

#include <math.h>

/* ---- Exactly ---- */

/* Rows and columns of a piece of C, and the part of k in one GEMM. */
enum { PIECE = 256, DEPTH = 256 };

struct exact {
    const struct generated_problem *generated;
    struct verdict *verdict;
    sct_block a, b, c; /* in scratch memory */
    bool outside;      /* elements of C outside the view are checked too */
    sct_status status;
};

size_t check_scratch_bytes(void) {
    return (2 * PIECE * DEPTH + PIECE * PIECE) * sct_type_bytes(SCT_CF64);
}

int64_t check_exact_most(const struct generated_problem *generated) {
    sct_type type = generated->source.type;
    double alpha = fabs(generated->alpha.re) + fabs(generated->alpha.im);
    double beta = fabs(generated->beta.re) + fabs(generated->beta.im);
    double terms =
        (element_is_complex(type) ? 2 : 1) * (double)generated->problem->args->shape.k + 1;
    terms = fmax(alpha, 1) * terms + beta;
    double most = floor(sqrt(ldexp(1, element_bits(sct_type_sum(type))) / terms));
    /* Sums beyond the range of f16 would be infinite, whatever else they are. */
    if (type == SCT_F16)
        most = fmin(most, fmax(1, floor(sqrt(ldexp(1, 15) / terms))));
    return (int64_t)fmin(most, fmin(1024, ldexp(1, element_bits(type))));
}

static struct number times(struct number x, struct number y) {
    return (struct number){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

static bool same(struct number x, struct number y) {
    return x.re == y.re && x.im == y.im;
}

static void compare(struct verdict *verdict, struct place place, struct number is,
                    struct number was) {
    verdict->checked++;
    if (same(is, was))
        return;
    if (verdict->wrong++ > 0)
        return;
    verdict->place = place;
    verdict->is = is;
    verdict->was = was;
}

/* The type in which the product is recomputed. */
static sct_type sum_type(const struct generated_problem *generated) {
    return sct_type_sum(generated->source.type);
}

/* Generates the part of an operand that begins at (row, col). */
static void fill_block(const struct generated_problem *generated, int matrix, int64_t row,
                       int64_t col, sct_block *block) {
    sct_type type = sum_type(generated);
    block->ld = block->cols;
    for (int64_t i = 0; i < block->rows; i++)
        for (int64_t j = 0; j < block->cols; j++)
            element_store(type, generated_problem_operand(generated, matrix, row + i, col + j),
                          element_at(type, block, i, j));
}

/* Sets the piece at (row, col) to beta C; beta 0 reads no C. */
static void start_piece(struct exact *exact, int64_t row, int64_t col) {
    const struct generated_problem *generated = exact->generated;
    const struct number zero = {0, 0};
    sct_type type = sum_type(generated);
    sct_block *c = &exact->c;
    c->ld = c->cols;
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t j = 0; j < c->cols; j++) {
            struct number before = zero;
            if (!same(generated->beta, zero))
                before = times(generated->beta,
                               generated_problem_operand(generated, MATRIX_C, row + i, col + j));
            element_store(type, before, element_at(type, c, i, j));
        }
}

/* Adds alpha op(A) op(B). */
static void add_product(struct exact *exact, int64_t row, int64_t col) {
    const struct generated_problem *generated = exact->generated;
    sct_type type = sum_type(generated);
    int64_t k = generated->problem->args->shape.k;
    double alpha[2], one[2];
    element_store(type, generated->alpha, alpha);
    element_store(type, (struct number){1, 0}, one);
    for (int64_t at = 0; at < k && exact->status == SCT_OK; at += DEPTH) {
        int64_t depth = k - at < DEPTH ? k - at : DEPTH;
        exact->a.rows = exact->c.rows;
        exact->b.cols = exact->c.cols;
        exact->a.cols = exact->b.rows = depth;
        fill_block(generated, MATRIX_A, row, at, &exact->a);
        fill_block(generated, MATRIX_B, at, col, &exact->b);
        exact->status =
            sct_gemm_local(type, SCT_N, SCT_N, alpha, &exact->a, &exact->b, one, &exact->c);
    }
}

/* Compares the piece, rounded once, with the tile. */
static void compare_piece(struct exact *exact, const sct_slice *bounds, const sct_block *tile,
                          int64_t row, int64_t col) {
    sct_type type = args_type(exact->generated->problem->args, MATRIX_C);
    sct_type sum = sum_type(exact->generated);
    for (int64_t i = 0; i < exact->c.rows; i++)
        for (int64_t j = 0; j < exact->c.cols; j++) {
            struct place place = {row + i, col + j};
            const void *is =
                element_at(type, tile, place.row - bounds->rows.lo, place.col - bounds->cols.lo);
            compare(exact->verdict, place, element_load(type, is),
                    element_round(type, element_load(sum, element_at(sum, &exact->c, i, j))));
        }
}

static sct_range meet(sct_range x, sct_range y) {
    sct_range range = {x.lo > y.lo ? x.lo : y.lo, x.hi < y.hi ? x.hi : y.hi};
    if (range.hi < range.lo)
        range.hi = range.lo;
    return range;
}

static int64_t piece_end(int64_t at, sct_range range) {
    return at + PIECE < range.hi ? at + PIECE : range.hi;
}

static void check_inside(struct exact *exact, const sct_slice *bounds, const sct_block *tile) {
    const sct_slice *view = &exact->generated->problem->view[MATRIX_C];
    sct_range rows = meet(bounds->rows, view->rows), cols = meet(bounds->cols, view->cols);
    for (int64_t row = rows.lo; row < rows.hi; row += PIECE)
        for (int64_t col = cols.lo; col < cols.hi; col += PIECE) {
            exact->c.rows = piece_end(row, rows) - row;
            exact->c.cols = piece_end(col, cols) - col;
            start_piece(exact, row - view->rows.lo, col - view->cols.lo);
            add_product(exact, row - view->rows.lo, col - view->cols.lo);
            compare_piece(exact, bounds, tile, row, col);
        }
}

static void check_outside(struct exact *exact, const sct_slice *bounds, const sct_block *tile) {
    const sct_slice *view = &exact->generated->problem->view[MATRIX_C];
    sct_type type = args_type(exact->generated->problem->args, MATRIX_C);
    for (int64_t row = bounds->rows.lo; row < bounds->rows.hi; row++)
        for (int64_t col = bounds->cols.lo; col < bounds->cols.hi; col++) {
            if (generated_problem_inside(view, row, col))
                continue;
            const void *is = element_at(type, tile, row - bounds->rows.lo, col - bounds->cols.lo);
            compare(exact->verdict, (struct place){row, col}, element_load(type, is),
                    generated_problem_stored(exact->generated, MATRIX_C, row, col));
        }
}

static void check_tile_exactly(const sct_slice *bounds, const sct_block *block, void *context) {
    struct exact *exact = context;
    check_inside(exact, bounds, block);
    if (exact->outside)
        check_outside(exact, bounds, block);
}

sct_status check_exact(const sct_world *world, const struct generated_problem *generated,
                       sct_matrix *c, void *scratch, struct verdict *verdict) {
    const struct args *args = generated->problem->args;
    size_t element = sct_type_bytes(SCT_CF64);
    char *memory = scratch;
    struct exact exact = {
        .generated = generated,
        .verdict = verdict,
        .a = {.data = memory},
        .b = {.data = memory + PIECE * DEPTH * element},
        .c = {.data = memory + 2 * PIECE * DEPTH * element},
        .outside = args->view[MATRIX_C].given && args->result != SCT_RESULT_PARTIAL,
        .status = SCT_OK,
    };
    sct_status status = tiles_visit(world, c, TILES_READ, check_tile_exactly, &exact);
    return status == SCT_OK ? exact.status : status;
}

/* ---- Within the rounding bound ---- */

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

static void check_tile_by_bound(const sct_slice *bounds, const sct_block *block, void *context) {
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
        return tiles_visit(world, c, TILES_READ, check_tile_by_bound, &bound);
    return check_samples(world, &bound, c);
}
