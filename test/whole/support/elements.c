/* elements.c - visits the elements of a rank through the public tile functions. */
#include "whole/support/elements.h"

#include <stdlib.h>

sct_layout *layout_of(const char *text, int64_t rows, int64_t cols, int ranks) {
    sct_layout *layout = NULL;
    sct_status status = sct_layout_parse(text, rows, cols, ranks, &layout);
    CHECK_CASE(status == SCT_OK, "layout %s of %lld x %lld on %d ranks: %s", text, (long long)rows,
               (long long)cols, ranks, sct_last_reason());
    return layout;
}

sct_matrix *matrix_new(sct_world *world, sct_type type, const char *layout, int64_t rows,
                       int64_t cols) {
    sct_layout *made = layout_of(layout, rows, cols, sct_world_size(world));
    sct_matrix *matrix = NULL;
    CHECK_CASE(sct_matrix_create(world, type, made, &matrix) == SCT_OK, "%s", sct_last_reason());
    sct_layout_destroy(made);
    return matrix;
}

static double draw(source from, uint64_t *state) {
    if (from.most)
        return (double)check_between(state, -from.most, from.most);
    return (double)check_between(state, -(1 << 24), (1 << 24) - 1) / (1 << 24);
}

element source_element(sct_type type, source from, int64_t row, int64_t col) {
    uint64_t state = from.seed + (uint64_t)row * 0xd1342543de82ef95u;
    state = check_random(&state) + (uint64_t)col * 0xaf251af3b0f025b5u;
    double re = draw(from, &state);
    return (element){re, sct_type_complex(type) ? draw(from, &state) : 0};
}

/* The part of a tile that this rank stores, or an empty block. */
static sct_block own_tile(const sct_world *world, const sct_matrix *matrix, sct_tile tile) {
    sct_block block = {.rows = 0};
    int owner = -1;
    CHECK(sct_matrix_tile_owner(matrix, tile, SCT_HERE, &owner) == SCT_OK);
    if (owner == sct_world_rank(world))
        CHECK(sct_matrix_tile(matrix, tile, SCT_HERE, &block) == SCT_OK);
    return block;
}

/* A reader gets copies of what is on a device; a writer puts them there. */
typedef enum access { READS, WRITES } access;

/* The same in memory of the host: of the matrix, or for what is on a device. */
static sct_block open_tile(const sct_world *world, const sct_matrix *matrix, sct_tile tile,
                           access how) {
    sct_block block = own_tile(world, matrix, tile);
    if (sct_matrix_space(matrix) == SCT_SPACE_HOST || block.rows == 0 || block.cols == 0)
        return block;
    block.ld = block.order == SCT_ROW_MAJOR ? block.cols : block.rows;
    block.data =
        malloc((size_t)(block.rows * block.cols) * sct_type_bytes(sct_matrix_type(matrix)));
    if (how == READS)
        CHECK(sct_matrix_get_tile((sct_matrix *)matrix, tile, SCT_HERE, &block) == SCT_OK);
    return block;
}

static void close_tile(const sct_matrix *matrix, sct_tile tile, const sct_block *block,
                       access how) {
    if (sct_matrix_space(matrix) == SCT_SPACE_HOST || block->rows == 0 || block->cols == 0)
        return;
    if (how == WRITES)
        CHECK(sct_matrix_put_tile((sct_matrix *)matrix, tile, SCT_HERE, block) == SCT_OK);
    free(block->data);
}

static void visit_tiles(const sct_world *world, const sct_matrix *matrix, access how,
                        element_visitor *visit, void *context) {
    sct_tile grid = sct_matrix_grid_shape(matrix);
    size_t bytes = sct_type_bytes(sct_matrix_type(matrix));
    for (int64_t tile = 0; tile < grid.row * grid.col; tile++) {
        sct_tile at = {tile / grid.col, tile % grid.col};
        sct_block block = open_tile(world, matrix, at, how);
        bool by_rows = block.order == SCT_ROW_MAJOR;
        sct_slice bounds = {{0, 0}, {0, 0}};
        CHECK(sct_matrix_tile_bounds(matrix, at, &bounds) == SCT_OK);
        for (int64_t i = 0; i < block.rows; i++)
            for (int64_t j = 0; j < block.cols; j++) {
                int64_t index = by_rows ? i * block.ld + j : j * block.ld + i;
                visit(context, bounds.rows.lo + i, bounds.cols.lo + j,
                      (char *)block.data + (size_t)index * bytes);
            }
        close_tile(matrix, at, &block, how);
    }
}

void matrix_read(const sct_world *world, const sct_matrix *matrix, element_visitor *visit,
                 void *context) {
    visit_tiles(world, matrix, READS, visit, context);
}

void matrix_write(const sct_world *world, const sct_matrix *matrix, element_visitor *visit,
                  void *context) {
    visit_tiles(world, matrix, WRITES, visit, context);
}

typedef struct writer {
    sct_type type;
    source from;
} writer;

static void put_source(void *context, int64_t row, int64_t col, void *at) {
    writer *w = context;
    element_put(w->type, at, 0, source_element(w->type, w->from, row, col));
}

typedef struct constant {
    sct_type type;
    element value;
} constant;

static void put_constant(void *context, int64_t row, int64_t col, void *at) {
    const constant *c = context;
    (void)row;
    (void)col;
    element_put(c->type, at, 0, c->value);
}

void matrix_fill(const sct_world *world, const sct_matrix *matrix, source from) {
    writer w = {sct_matrix_type(matrix), from};
    matrix_write(world, matrix, put_source, &w);
}

void matrix_set(const sct_world *world, const sct_matrix *matrix, element value) {
    constant c = {sct_matrix_type(matrix), value};
    matrix_write(world, matrix, put_constant, &c);
}

typedef struct comparison {
    sct_type type;
    element_wanted *wanted;
    const void *context;
    int64_t wrong;
} comparison;

static void compare(void *context, int64_t row, int64_t col, void *at) {
    comparison *c = context;
    element is = element_get(c->type, at, 0), want = c->wanted(c->context, row, col);
    c->wrong += !(is.re == want.re && is.im == want.im);
}

int64_t matrix_count_unlike(const sct_world *world, const sct_matrix *matrix,
                            element_wanted *wanted, const void *context) {
    comparison c = {sct_matrix_type(matrix), wanted, context, 0};
    matrix_read(world, matrix, compare, &c);
    return c.wrong;
}

static element of_source(const void *context, int64_t row, int64_t col) {
    const writer *w = context;
    return source_element(w->type, w->from, row, col);
}

int64_t matrix_count_wrong(const sct_world *world, const sct_matrix *matrix, source from) {
    const writer w = {sct_matrix_type(matrix), from};
    return matrix_count_unlike(world, matrix, of_source, &w);
}

static element same_everywhere(const void *value, int64_t row, int64_t col) {
    (void)row;
    (void)col;
    return *(const element *)value;
}

int64_t matrix_count_other(const sct_world *world, const sct_matrix *matrix, element value) {
    return matrix_count_unlike(world, matrix, same_everywhere, &value);
}

static void check_f64(void *context, int64_t row, int64_t col, void *at) {
    const double *wanted = context;
    CHECK_CASE(*(double *)at == *wanted, "[%lld, %lld] is %g, not %g", (long long)row,
               (long long)col, *(double *)at, *wanted);
}

void matrix_check_f64(const sct_world *world, const sct_matrix *matrix, double wanted) {
    matrix_read(world, matrix, check_f64, &wanted);
}
