/* text.c - texts of groups of products: what they mean, how they print, and what is refused. */
#include "support/check.h"

#include <sectile/sectile.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 2000 };

static void prints(const char *text, const char *sizes, const char *printed) {
    sct_products *products;
    char found[TEXT];
    if (!CHECK_CASE(sct_products_parse(text, sizes, &products) == SCT_OK, "%s: %s", text,
                    sct_last_reason()))
        return;
    sct_products_print(products, found, sizeof found);
    CHECK_CASE(strcmp(found, printed) == 0, "%s prints as %s", text, found);
    sct_products_destroy(products);
}

static void refused(const char *text, const char *sizes, const char *reason) {
    sct_products *products = NULL;
    CHECK_CASE(sct_products_parse(text, sizes, &products) == SCT_BAD_ARGUMENT && !products,
               "%s is taken", text);
    CHECK_CASE(strcmp(sct_last_reason(), reason) == 0, "%s: %s", text, sct_last_reason());
}

static void test_texts(void) {
    prints("Y = X[m,h] * W1[h,f]; Z = Y * W2[f,h]", "m=8,h=4,f=16",
           "m = 8; h = 4; f = 16; Y = X[m,h] * W1[h,f]; Z = Y * W2[f,h]");
    prints("m = 2; C=A[m,3]'*B[m,4]", NULL, "m = 2; C = A[m,3]' * B[m,4]");
    prints("m = 2; C=A[m,3]*B[3,m]", "m=5", "m = 5; C = A[m,3] * B[3,m]");
}

static void test_shapes_that_follow(void) {
    prints("C = A * B' # shapes follow\n\n C += A[2,3] * B[4,3]^T;;", NULL,
           "C = A[2,3] * B[4,3]'; C += A * B'");
    prints("D += A[2,3] * B[3,4]; E = B^H * A^H; E ~ F; F[4,2] += B' * A'", NULL,
           "D += A[2,3] * B[3,4]; E = B^H * A^H; F += B' * A'; F ~ E");
}

static void test_refusals(void) {
    refused("Y = X[m,h] * W[f,h]", "m=8,h=4,f=16", "X has 4 columns (h), but W has 16 rows (f)");
    refused("Y = X[8,4] * W[16,4]'\nZ[8,8] = Y * W", NULL,
            "line 2: Z has 8 columns (a number), but W has 4 columns (a number)");
    refused("Y = X[m,h] * W[h,h]", "m=8", "there is no size h");
    refused("Y = X[m,m] * X", "m=8,q=3", "no matrix has the size q");
    refused("Y = X * W[2,2]", NULL,
            "no product before computes X, so its shape is needed: X[ROWS,COLS]");
    refused("Y = X[2,2] * X; Y = X * X", NULL,
            "Y is computed by product 1 already; with += this product is added");
    refused(
        "Y = X[2,2] * W[2,2]; X = Y * W", NULL,
        "X is used by product 1, before it is computed; products run in the order in which they "
        "are written");
    refused("X += X[2,2] * X", NULL, "X is an operand and the result of one product");
    refused("Y = X[2,2] * X[2,3]", NULL, "X has two shapes: [2,2] and [2,3]");
    refused("Y = X[2,3] * W[3,4]; X ~ W", NULL,
            "X ~ W: X is 2 x 3 and W is 3 x 4, so their layouts differ");
    refused("Y = X[2,2] + W[2,2]", NULL,
            "expected * and the second matrix at \"+ W[2,2]\" in line 1");
    refused("Y = X[2,2] * ", NULL, "expected the name of a matrix at the end of line 1");
    refused("\n\nY : X", NULL, "expected =, += or ~ at \": X\" in line 3");
    refused("", NULL, "there is no product in the text");
    refused("m = 2; Y = m[2,2] * X[2,2]", NULL, "there is a size m already");
    refused("Y = X[0,2] * X", NULL, "\"0\" is no size of 1 or more");
    refused("Y = X[m,m] * X", "m=", "expected a number at the end of line 1");
    refused("Y = 2X; Z = X[2,2] * X", NULL, "size Y: \"X\" is no number");
}

static void test_calls(void) {
    sct_products *products;
    char text[TEXT];
    CHECK(sct_products_create(&products) == SCT_OK);
    CHECK(sct_products_size(products, "m", 8) == SCT_OK);
    CHECK(sct_products_matrix(products, "X", "m", "3") == SCT_OK);
    CHECK(sct_products_multiply(products, SCT_T, "X", SCT_N, "X", 0, "G") == SCT_OK);
    CHECK(sct_products_multiply(products, SCT_N, "X", SCT_N, "G", 1, "X") == SCT_BAD_ARGUMENT);
    CHECK(sct_products_multiply(products, SCT_N, "X", SCT_N, "G", 0, "Y") == SCT_OK);
    CHECK(sct_products_equal(products, "Y", "X") == SCT_OK);
    sct_products_print(products, text, sizeof text);
    CHECK_CASE(strcmp(text, "m = 8; G = X[m,3]' * X; Y = X * G; Y ~ X") == 0, "%s", text);
    CHECK(sct_products_count(products) == 2 && sct_products_matrices(products) == 3);
    sct_products_step step = sct_products_at(products, 0);
    CHECK(step.op_a == SCT_T && step.a == 0 && step.b == 0 && step.c == 1 && step.m == 3 &&
          step.n == 3 && step.k == 8);
    sct_products_shape shape = sct_products_matrix_at(products, 2);
    CHECK(strcmp(shape.name, "Y") == 0 && shape.rows == 8 && shape.equal == 0 && !shape.given);
    CHECK(sct_products_matrix_at(products, 0).given &&
          sct_products_matrix_find(products, "Q") == -1);
    sct_products_destroy(products);
}

static void gradients(const char *text, const char *added) {
    sct_products *products;
    char before[TEXT], found[TEXT];
    if (!CHECK_CASE(sct_products_parse(text, NULL, &products) == SCT_OK, "%s", sct_last_reason()))
        return;
    size_t length = sct_products_print(products, before, sizeof before);
    CHECK_CASE(sct_products_backward(products) == SCT_OK, "%s: %s", text, sct_last_reason());
    sct_products_print(products, found, sizeof found);
    CHECK_CASE(strcmp(found + length, added) == 0, "%s adds %s", text, found + length);
    sct_products_destroy(products);
}

static void no_gradients(const char *text, const char *reason) {
    sct_products *products;
    if (!CHECK_CASE(sct_products_parse(text, NULL, &products) == SCT_OK, "%s", sct_last_reason()))
        return;
    CHECK(sct_products_backward(products) == SCT_BAD_ARGUMENT);
    CHECK_CASE(strcmp(sct_last_reason(), reason) == 0, "%s: %s", text, sct_last_reason());
    sct_products_destroy(products);
}

static void test_backward(void) {
    gradients("Y = X[2,3] * V[3,4]; Z = Y * W[4,5]",
              "; dW = Y' * dZ[2,5]; dY = dZ * W'; dV = X' * dY; dX = dY * V'; dW ~ W; dZ ~ Z; "
              "dY ~ Y; dV ~ V; dX ~ X");
    gradients("Y = X[3,2]' * V[4,3]'",
              "; dV = dY[2,4]' * X'; dX = V' * dY'; dV ~ V; dY ~ Y; dX ~ X");
    gradients("G = X[3,2]' * X", "; dX = X * dG[2,2]; dX += X * dG'; dX ~ X; dG ~ G");
    no_gradients("G = X[3,2]^H * X", "product 1 has a conjugate; gradients are for real matrices");
    no_gradients("dY = X[2,2] * Y[2,2]", "the gradient by Y would be called dY, which is taken");
    no_gradients("Y = X[2,2] * W[2,2]; X += Y * W",
                 "product 2 adds to X, which product 1 has used: there is no gradient by what it "
                 "was");
    no_gradients("Y = X[2,2] * a123456789012345678901234567890[2,2]",
                 "the gradient by a123456789012345678901234567890 would be called "
                 "da123456789012345678901234567890, which is too long");
}

int main(void) {
    test_texts();
    test_shapes_that_follow();
    test_refusals();
    test_calls();
    test_backward();
    return check_report("products_text");
}
