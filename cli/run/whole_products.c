/* whole_products.c - computes a group of products on whole matrices, for the check of a run. */
#include "run/whole_products.h"

#include "ranks/home_tiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Sums of the largest products stay exact longest if elements are -1, 0 and 1. */
enum { MOST = 1 };

static struct number element_of(sct_type type, const sct_block *block, int64_t row, int64_t col) {
    return element_load(type, element_at(type, block, row, col));
}

static double largest(sct_type type, const sct_block *block) {
    double most = 0;
    for (int64_t row = 0; row < block->rows; row++)
        for (int64_t col = 0; col < block->cols; col++) {
            struct number is = element_of(type, block, row, col);
            most = fmax(most, fmax(fabs(is.re), fabs(is.im)));
        }
    return most;
}

static enum code allocate(struct whole_products *whole, int index) {
    const sct_products_shape shape = sct_products_matrix_at(whole->products, index);
    sct_block *block = &whole->matrix[index];
    *block = (sct_block){.ld = shape.cols, .rows = shape.rows, .cols = shape.cols};
    block->data = calloc((size_t)shape.rows, (size_t)shape.cols * sct_type_bytes(whole->type));
    if (!block->data) {
        report_error("--check: no memory for %s, %" PRId64 " x %" PRId64, shape.name, shape.rows,
                     shape.cols);
        return CODE_FAILED;
    }
    for (int64_t row = 0; row < shape.rows && shape.given; row++)
        for (int64_t col = 0; col < shape.cols; col++)
            element_store(whole->type, source_element(&whole->source, index, row, col),
                          element_at(whole->type, block, row, col));
    return CODE_DONE;
}

/* Whether all partial sums of a product are exact. */
static bool is_exact(const struct whole_products *whole, const sct_products_step *step) {
    sct_type type = whole->type;
    double terms = (element_is_complex(type) ? 2 : 1) * (double)step->k;
    double most =
        terms * largest(type, &whole->matrix[step->a]) * largest(type, &whole->matrix[step->b]);
    if (step->add)
        most += largest(type, &whole->matrix[step->c]);
    /* Sums beyond the range of f16 would be infinite, whatever else they are. */
    int bits = type == SCT_F16 ? 15 : element_bits(sct_type_sum(type));
    return most <= ldexp(1, bits);
}

static enum code multiply(struct whole_products *whole, int product) {
    const sct_products_step step = sct_products_at(whole->products, product);
    double one[2], beta[2];
    if (!is_exact(whole, &step)) {
        report_error("--check: the sums of %s are not exact in %s%s",
                     sct_products_matrix_at(whole->products, step.c).name,
                     sct_type_name(whole->type),
                     whole->type == SCT_F64 ? "" : "; --type f64 has more bits");
        return CODE_USAGE;
    }
    element_store(sct_type_sum(whole->type), (struct number){1, 0}, one);
    element_store(sct_type_sum(whole->type), (struct number){step.add, 0}, beta);
    return report_status(sct_gemm_local(whole->type, step.op_a, step.op_b, one,
                                        &whole->matrix[step.a], &whole->matrix[step.b], beta,
                                        &whole->matrix[step.c]));
}

enum code whole_products_create(const sct_products *products, sct_type type, uint64_t seed,
                                struct whole_products *whole) {
    int matrices = sct_products_matrices(products);
    *whole = (struct whole_products){
        .products = products, .type = type, .source = {.seed = seed, .type = type, .most = MOST}};
    whole->matrix = calloc((size_t)matrices, sizeof *whole->matrix);
    enum code code = whole->matrix ? CODE_DONE : CODE_FAILED;
    if (code != CODE_DONE)
        report_error("--check: no memory for %d matrices", matrices);
    for (int i = 0; i < matrices && code == CODE_DONE; i++)
        code = allocate(whole, i);
    for (int i = 0; i < sct_products_count(products) && code == CODE_DONE; i++)
        code = multiply(whole, i);
    return code;
}

void whole_products_destroy(struct whole_products *whole) {
    for (int i = 0; whole->matrix && i < sct_products_matrices(whole->products); i++)
        free(whole->matrix[i].data);
    free(whole->matrix);
}

struct comparison {
    sct_type type;
    const sct_block *whole;
    struct verdict *verdict;
};

static void compare(const sct_slice *bounds, const sct_block *tile, void *context) {
    const struct comparison *with = context;
    struct verdict *verdict = with->verdict;
    for (int64_t row = bounds->rows.lo; row < bounds->rows.hi; row++)
        for (int64_t col = bounds->cols.lo; col < bounds->cols.hi; col++) {
            struct number is =
                element_of(with->type, tile, row - bounds->rows.lo, col - bounds->cols.lo);
            struct number was = element_of(with->type, with->whole, row, col);
            verdict->checked++;
            if ((is.re == was.re && is.im == was.im) || verdict->wrong++ > 0)
                continue;
            verdict->place = (struct place){row, col};
            verdict->is = is;
            verdict->was = was;
        }
}

sct_status whole_products_compare(const struct whole_products *whole, const sct_world *world,
                                  int index, sct_matrix *matrix, struct verdict *verdict) {
    struct comparison with = {whole->type, &whole->matrix[index], verdict};
    return tiles_visit(world, matrix, TILES_READ, compare, &with);
}
