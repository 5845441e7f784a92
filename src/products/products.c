/* products.c - makes groups of products, and checks that they fit together. */
#include "products/products.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- Names ---- */

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool sct_is_symbol(const char *name) {
    size_t length = 0;
    while (is_letter(name[length]) || is_digit(name[length]))
        length++;
    return length > 0 && length < SCT_SYMBOL && name[length] == '\0' && is_letter(name[0]);
}

/* Letters and digits are few bytes each: messages quote no more of what is none. */
static sct_status check_symbol(const char *name) {
    sct_status status = sct_check_given("a name", name);
    if (!status && !sct_is_symbol(name))
        status =
            sct_fail(SCT_BAD_ARGUMENT, "\"%.40s\" is no name of up to %d letters, digits and _",
                     name, SCT_SYMBOL - 1);
    return status;
}

int sct_products_matrix_find(const sct_products *products, const char *name) {
    int i = products->matrices - 1;
    while (i >= 0 && strcmp(products->matrix[i].name, name) != 0)
        i--;
    return i;
}

int sct_products_find_size(const sct_products *products, const char *name) {
    int i = products->sizes - 1;
    while (i >= 0 && strcmp(products->size[i].name, name) != 0)
        i--;
    return i;
}

static sct_status check_free(const sct_products *products, const char *name) {
    sct_status status = check_symbol(name);
    if (!status && sct_products_matrix_find(products, name) >= 0)
        status = sct_fail(SCT_BAD_ARGUMENT, "there is a matrix %s already", name);
    if (!status && sct_products_find_size(products, name) >= 0)
        status = sct_fail(SCT_BAD_ARGUMENT, "there is a size %s already", name);
    return status;
}

/* Finds a matrix that must be there. */
static sct_status find(const sct_products *products, const char *name, int *matrix) {
    sct_status status = check_symbol(name);
    if (!status && (*matrix = sct_products_matrix_find(products, name)) < 0)
        status = sct_fail(SCT_BAD_ARGUMENT, "there is no matrix %s", name);
    return status;
}

/* ---- Sizes and matrices ---- */

sct_status sct_products_create(sct_products **products) {
    sct_status status = sct_check_output("products", products);
    if (status)
        return status;
    sct_products *made = calloc(1, sizeof *made);
    if (!made)
        return sct_no_memory("products");
    *products = made;
    return SCT_OK;
}

void sct_products_destroy(sct_products *products) {
    if (!products)
        return;
    free(products->size);
    free(products->matrix);
    free(products->term);
    free(products);
}

sct_status sct_products_size(sct_products *products, const char *name, int64_t size) {
    sct_status status = sct_check_given("products", products);
    if (!status)
        status = check_free(products, name);
    if (!status && size < 1)
        status = sct_fail(SCT_BAD_ARGUMENT, "size %s: %lld is less than 1", name, (long long)size);
    if (status)
        return status;
    sct_extent *list =
        sct_memory_grow(products->size, products->sizes, &products->size_room, sizeof *list);
    if (!list)
        return sct_no_memory("a size");
    products->size = list;
    sct_extent *added = &list[products->sizes++];
    *added = (sct_extent){.size = size};
    strcpy(added->name, name);
    return SCT_OK;
}

/* Reads a number, or the name of a size. */
static sct_status read_extent(const sct_products *products, const char *text, sct_extent *extent) {
    *extent = (sct_extent){.size = 0};
    sct_status status = sct_check_given("a size", text);
    if (status)
        return status;
    if (is_digit(text[0])) {
        const char *at = text;
        if ((status = sct_text_number(&at, INT64_MAX, &extent->size)))
            return status;
        return *at == '\0' && extent->size > 0
                   ? SCT_OK
                   : sct_fail(SCT_BAD_ARGUMENT, "\"%.40s\" is no size of 1 or more", text);
    }
    if ((status = check_symbol(text)))
        return status;
    int size = sct_products_find_size(products, text);
    if (size < 0)
        return sct_fail(SCT_BAD_ARGUMENT, "there is no size %s", text);
    *extent = products->size[size];
    return SCT_OK;
}

static sct_status add_matrix(sct_products *products, const char *name, sct_extent rows,
                             sct_extent cols) {
    sct_symbol *list =
        sct_memory_grow(products->matrix, products->matrices, &products->matrix_room, sizeof *list);
    if (!list)
        return sct_no_memory("a matrix of a group");
    products->matrix = list;
    int index = products->matrices++;
    list[index] =
        (sct_symbol){.rows = rows, .cols = cols, .equal = index, .computed = -1, .used = -1};
    strcpy(list[index].name, name);
    return SCT_OK;
}

sct_status sct_products_matrix(sct_products *products, const char *name, const char *rows,
                               const char *cols) {
    sct_extent row_extent, col_extent;
    sct_status status = sct_check_given("products", products);
    if (!status)
        status = check_free(products, name);
    if (!status)
        status = read_extent(products, rows, &row_extent);
    if (!status)
        status = read_extent(products, cols, &col_extent);
    return status ? status : add_matrix(products, name, row_extent, col_extent);
}

bool sct_extent_equal(const sct_extent *x, const sct_extent *y) {
    return x->size == y->size && strcmp(x->name, y->name) == 0;
}

int sct_products_root(const sct_products *products, int matrix) {
    while (products->matrix[matrix].equal != matrix)
        matrix = products->matrix[matrix].equal;
    return matrix;
}

sct_status sct_products_equal(sct_products *products, const char *one, const char *other) {
    int x, y;
    sct_status status = sct_check_given("products", products);
    if (!status)
        status = find(products, one, &x);
    if (!status)
        status = find(products, other, &y);
    if (status)
        return status;
    const sct_symbol *first = &products->matrix[x], *second = &products->matrix[y];
    if (first->rows.size != second->rows.size || first->cols.size != second->cols.size)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "%s ~ %s: %s is %lld x %lld and %s is %lld x %lld, so their layouts differ",
                        one, other, one, (long long)first->rows.size, (long long)first->cols.size,
                        other, (long long)second->rows.size, (long long)second->cols.size);
    x = sct_products_root(products, x);
    y = sct_products_root(products, y);
    products->matrix[x > y ? x : y].equal = x > y ? y : x;
    return SCT_OK;
}

/* ---- Products ---- */

sct_shape sct_products_operand(const sct_products *products, int matrix, sct_op op) {
    const sct_symbol *symbol = &products->matrix[matrix];
    return op == SCT_N ? (sct_shape){&symbol->rows, &symbol->cols}
                       : (sct_shape){&symbol->cols, &symbol->rows};
}

static const char *size_name(const sct_extent *extent) {
    return extent->name[0] ? extent->name : "a number";
}

/* Two extents that must be the same, each of which is called by its matrix and what it counts. */
static sct_status check_extents(const char *x, const char *what_x, const sct_extent *of_x,
                                const char *y, const char *what_y, const sct_extent *of_y) {
    if (of_x->size == of_y->size)
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT, "%s has %lld %s (%s), but %s has %lld %s (%s)", x,
                    (long long)of_x->size, what_x, size_name(of_x), y, (long long)of_y->size,
                    what_y, size_name(of_y));
}

static const char *op_mark(sct_op op) {
    return op == SCT_N ? "" : op == SCT_T ? "'" : "^H";
}

static void called(const sct_products *products, int matrix, sct_op op, char name[SCT_SYMBOL + 2]) {
    strcpy(name, products->matrix[matrix].name);
    strcat(name, op_mark(op));
}

/* Checks the inner sizes, and the shape of C if it is there already. */
static sct_status check_shapes(const sct_products *products, const sct_term *term) {
    char a[SCT_SYMBOL + 2], b[SCT_SYMBOL + 2];
    sct_shape left = sct_products_operand(products, term->matrix[SCT_MAT_A], term->op[0]);
    sct_shape right = sct_products_operand(products, term->matrix[SCT_MAT_B], term->op[1]);
    called(products, term->matrix[SCT_MAT_A], term->op[0], a);
    called(products, term->matrix[SCT_MAT_B], term->op[1], b);
    sct_status status = check_extents(a, "columns", left.cols, b, "rows", right.rows);
    if (status || term->matrix[SCT_MAT_C] < 0)
        return status;
    const sct_symbol *c = &products->matrix[term->matrix[SCT_MAT_C]];
    status = check_extents(c->name, "rows", &c->rows, a, "rows", left.rows);
    return status ? status : check_extents(c->name, "columns", &c->cols, b, "columns", right.cols);
}

/* Checks that products run in an order in which each operand is complete. */
static sct_status check_order(const sct_products *products, const sct_term *term) {
    const int *matrix = term->matrix;
    if (matrix[SCT_MAT_C] < 0)
        return SCT_OK;
    const sct_symbol *c = &products->matrix[matrix[SCT_MAT_C]];
    if (matrix[SCT_MAT_C] == matrix[SCT_MAT_A] || matrix[SCT_MAT_C] == matrix[SCT_MAT_B])
        return sct_fail(SCT_BAD_ARGUMENT, "%s is an operand and the result of one product",
                        c->name);
    if (term->add)
        return SCT_OK;
    if (c->computed >= 0)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "%s is computed by product %d already; with += this product is added",
                        c->name, c->computed + 1);
    if (c->used >= 0)
        return sct_fail(
            SCT_BAD_ARGUMENT,
            "%s is used by product %d, before it is computed; products run in the order "
            "in which they are written",
            c->name, c->used + 1);
    return SCT_OK;
}

/* Adds a product that was checked. */
static sct_status add_term(sct_products *products, const sct_term *term) {
    sct_term *list =
        sct_memory_grow(products->term, products->count, &products->term_room, sizeof *list);
    if (!list)
        return sct_no_memory("a product of a group");
    products->term = list;
    int index = products->count++;
    list[index] = *term;
    for (int side = SCT_MAT_A; side <= SCT_MAT_B; side++) {
        sct_symbol *operand = &products->matrix[term->matrix[side]];
        operand->used = operand->used < 0 ? index : operand->used;
    }
    if (!term->add)
        products->matrix[term->matrix[SCT_MAT_C]].computed = index;
    return SCT_OK;
}

sct_status sct_products_multiply(sct_products *products, sct_op op_a, const char *a, sct_op op_b,
                                 const char *b, int add, const char *c) {
    sct_term term = {.op = {op_a, op_b}, .add = add != 0};
    sct_status status = sct_check_given("products", products);
    if (!status && ((unsigned)op_a > SCT_C || (unsigned)op_b > SCT_C))
        status =
            sct_fail(SCT_BAD_ARGUMENT, "op: %d or %d is not one of N, T, C", (int)op_a, (int)op_b);
    if (!status)
        status = find(products, a, &term.matrix[SCT_MAT_A]);
    if (!status)
        status = find(products, b, &term.matrix[SCT_MAT_B]);
    if (!status)
        status = check_symbol(c);
    if (status)
        return status;
    term.matrix[SCT_MAT_C] = sct_products_matrix_find(products, c);
    status = check_shapes(products, &term);
    if (!status)
        status = check_order(products, &term);
    if (!status && term.matrix[SCT_MAT_C] < 0) {
        sct_extent rows = *sct_products_operand(products, term.matrix[SCT_MAT_A], op_a).rows;
        sct_extent cols = *sct_products_operand(products, term.matrix[SCT_MAT_B], op_b).cols;
        term.matrix[SCT_MAT_C] = products->matrices;
        status = check_free(products, c);
        if (!status)
            status = add_matrix(products, c, rows, cols);
    }
    return status ? status : add_term(products, &term);
}

/* ---- What a group has ---- */

int sct_products_matrices(const sct_products *products) {
    return products->matrices;
}

int sct_products_count(const sct_products *products) {
    return products->count;
}

sct_products_shape sct_products_matrix_at(const sct_products *products, int index) {
    const sct_symbol *symbol = &products->matrix[index];
    return (sct_products_shape){.name = symbol->name,
                                .rows = symbol->rows.size,
                                .cols = symbol->cols.size,
                                .equal = sct_products_root(products, index),
                                .given = symbol->computed < 0};
}

sct_products_step sct_products_at(const sct_products *products, int index) {
    const sct_term *term = &products->term[index];
    sct_shape left = sct_products_operand(products, term->matrix[SCT_MAT_A], term->op[0]);
    sct_shape right = sct_products_operand(products, term->matrix[SCT_MAT_B], term->op[1]);
    return (sct_products_step){.a = term->matrix[SCT_MAT_A],
                               .b = term->matrix[SCT_MAT_B],
                               .c = term->matrix[SCT_MAT_C],
                               .op_a = term->op[0],
                               .op_b = term->op[1],
                               .add = term->add,
                               .m = left.rows->size,
                               .n = right.cols->size,
                               .k = left.cols->size};
}
