/* backward.c - adds the products that compute gradients.
 *
 * Products are looked at from the last to the first. With C = op(A) op(B), the gradient by op(A) is
 * dC op(B)', and that by op(B) is op(A)' dC. What is computed is transposed if op is. */
#include "products/products.h"

#include "base/status.h"

#include <stdio.h>
#include <string.h>

enum { NAME = SCT_SYMBOL + 1 };

/* The name may be too long for a matrix, which is then refused. */
static void name_gradient(const sct_products *products, int matrix, char name[NAME]) {
    snprintf(name, NAME, "d%s", products->matrix[matrix].name);
}

/* The name of its gradient must be free. */
static sct_status check_matrix(const sct_products *products, int matrix) {
    char name[NAME];
    name_gradient(products, matrix, name);
    bool taken = sct_products_matrix_find(products, name) >= 0 ||
                 sct_products_find_size(products, name) >= 0;
    if (!taken && sct_is_symbol(name))
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT, "the gradient by %s would be called %s, which is %s",
                    products->matrix[matrix].name, name, taken ? "taken" : "too long");
}

/* Gradients are those of real matrices, and of operands that stay as they were used. */
static sct_status check_term(const sct_products *products, int index) {
    const sct_term *term = &products->term[index];
    const sct_symbol *c = &products->matrix[term->matrix[SCT_MAT_C]];
    if (term->op[0] == SCT_C || term->op[1] == SCT_C)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "product %d has a conjugate; gradients are for real matrices", index + 1);
    if (c->used >= 0 && c->used < index)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "product %d adds to %s, which product %d has used: there is no gradient by "
                        "what it was",
                        index + 1, c->name, c->used + 1);
    return SCT_OK;
}

/* A gradient has the layout of its matrix. */
static sct_status relate(sct_products *products, const char *gradient, const char *of) {
    products->matrix[sct_products_matrix_find(products, gradient)].gradient = true;
    return sct_products_equal(products, gradient, of);
}

/* The gradient of a matrix that nothing uses is given. */
static sct_status provide(sct_products *products, int matrix) {
    const sct_symbol *symbol = &products->matrix[matrix];
    const sct_extent rows = symbol->rows, cols = symbol->cols;
    char name[NAME], row_text[SCT_SYMBOL], col_text[SCT_SYMBOL], of[SCT_SYMBOL];
    snprintf(row_text, sizeof row_text, "%lld", (long long)rows.size);
    snprintf(col_text, sizeof col_text, "%lld", (long long)cols.size);
    name_gradient(products, matrix, name);
    strcpy(of, symbol->name);
    sct_status status = sct_products_matrix(products, name, rows.name[0] ? rows.name : row_text,
                                            cols.name[0] ? cols.name : col_text);
    return status ? status : relate(products, name, of);
}

/* The product that computes the gradient of an operand from that of C and the other operand. */
static sct_status differentiate(sct_products *products, const sct_term *term, int side) {
    int matrix = term->matrix[side], other = term->matrix[SCT_MAT_A + SCT_MAT_B - side];
    bool transposed = term->op[side] == SCT_T;
    sct_op op_other = term->op[1 - side];
    char by[NAME], of_c[NAME], other_name[SCT_SYMBOL];
    name_gradient(products, matrix, by);
    name_gradient(products, term->matrix[SCT_MAT_C], of_c);
    strcpy(other_name, products->matrix[other].name);
    int add = sct_products_matrix_find(products, by) >= 0;
    /* By op(A): dC op(B)', which has dC on its left unless it is transposed; by op(B) reversed. */
    bool c_is_left = (side == SCT_MAT_A) != transposed;
    sct_op op_c = transposed ? SCT_T : SCT_N;
    sct_op op_o = (op_other == SCT_T) != transposed ? SCT_N : SCT_T;
    sct_status status =
        c_is_left ? sct_products_multiply(products, op_c, of_c, op_o, other_name, add, by)
                  : sct_products_multiply(products, op_o, other_name, op_c, of_c, add, by);
    return status || add ? status : relate(products, by, products->matrix[matrix].name);
}

sct_status sct_products_backward(sct_products *products) {
    sct_status status = sct_check_given("products", products);
    if (status)
        return status;
    int matrices = products->matrices, count = products->count;
    for (int i = 0; i < matrices && !status; i++)
        status = check_matrix(products, i);
    for (int i = 0; i < count && !status; i++)
        status = check_term(products, i);
    for (int i = count - 1; i >= 0 && !status; i--) {
        const sct_term term = products->term[i];
        char of_c[NAME];
        name_gradient(products, term.matrix[SCT_MAT_C], of_c);
        if (sct_products_matrix_find(products, of_c) < 0)
            status = provide(products, term.matrix[SCT_MAT_C]);
        for (int side = SCT_MAT_B; side >= SCT_MAT_A && !status; side--)
            status = differentiate(products, &term, side);
    }
    return status;
}
