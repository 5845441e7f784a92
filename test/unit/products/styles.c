/* styles.c - the layouts of each style, and groups for which there are none. */
#include "support/check.h"

#include <sectile/sectile.h>
#include <string.h>

enum { TEXT = 40, RANKS = 4 };

static sct_status choose(const char *text, int backward, sct_style style, sct_products **products,
                         sct_products_choice *choice) {
    const sct_products_search search = {.size = sizeof search, .type = SCT_F64, .ranks = RANKS};
    CHECK_CASE(sct_products_parse(text, NULL, products) == SCT_OK, "%s", sct_last_reason());
    if (backward)
        CHECK(sct_products_backward(*products) == SCT_OK);
    return sct_products_choose_style(*products, &search, style, choice);
}

/* expected: the layouts of the first matrices, in their order. */
static void check_layouts(const char *text, int backward, sct_style style, int count,
                          const char *const expected[]) {
    sct_products *products = NULL;
    sct_products_choice choice = {.matrices = 0};
    sct_status status = choose(text, backward, style, &products, &choice);
    CHECK_CASE(status == SCT_OK && choice.matrices >= count, "%s: %s", text, sct_last_reason());
    for (int i = 0; i < count && i < choice.matrices; i++) {
        char layout[TEXT];
        sct_layout_print(choice.layout[i], layout, sizeof layout);
        CHECK_CASE(strcmp(layout, expected[i]) == 0, "%s, %s: %s is %s, not %s", text,
                   sct_style_name(style), sct_products_matrix_at(products, i).name, layout,
                   expected[i]);
    }
    sct_products_choice_clear(&choice);
    sct_products_destroy(products);
}

static void refuse(const char *text, sct_style style) {
    sct_products *products = NULL;
    sct_products_choice choice;
    CHECK_CASE(choose(text, 0, style, &products, &choice) == SCT_BAD_ARGUMENT, "%s", text);
    CHECK_CASE(strstr(sct_last_reason(), "style: ") || strstr(sct_last_reason(), "linear layers"),
               "%s", sct_last_reason());
    sct_products_destroy(products);
}

int main(void) {
    /* X, V, W, Y, Z, dZ, dW, dY, dV, dX */
    static const char mlp[] = "Y = X[64,32] * V[32,64]; Z = Y * W[64,32]; Z ~ X";
    check_layouts(mlp, 1, SCT_STYLE_TENSOR, 10,
                  (const char *[]){"row*4", "col", "row", "col", "row*4", "row*4", "row", "col",
                                   "col", "row*4"});
    check_layouts(
        mlp, 1, SCT_STYLE_SEQUENCE, 10,
        (const char *[]){"row", "col", "row", "col", "row", "row", "row", "col", "col", "row"});
    check_layouts(mlp, 0, SCT_STYLE_SHARDED, 5,
                  (const char *[]){"row", "row", "row", "row", "row"});
    check_layouts(
        mlp, 1, SCT_STYLE_COPIED, 10,
        (const char *[]){"row", "row*4", "row*4", "row", "row", "row", "row", "row", "row", "row"});
    check_layouts(mlp, 1, SCT_STYLE_DATA, 10,
                  (const char *[]){"row", "row*4", "row*4", "row", "row", "row", "row*4", "row",
                                   "row*4", "row"});
    /* Weights as torch stores them, and two layers beside each other. */
    check_layouts("Y = X[64,32] * V[64,32]'; Z = Y * W[32,64]'", 0, SCT_STYLE_SEQUENCE, 5,
                  (const char *[]){"row", "row", "col", "col", "row"});
    check_layouts("G = X[64,32] * V[32,64]; U = X * W[32,64]; Z = U * D[64,32]", 0,
                  SCT_STYLE_SEQUENCE, 7,
                  (const char *[]){"row", "col", "col", "row", "col", "col", "row"});
    refuse(mlp, SCT_STYLE_COPIED);
    refuse(mlp, (sct_style)(SCT_STYLE_DATA + 1));
    refuse("Y = X[64,32] * V[32,32]; Z = Y * V", SCT_STYLE_DATA);
    refuse("Y = X[64,32] * V[32,32]; Z = Y * W[32,32]; Y ~ X", SCT_STYLE_DATA);
    refuse("Y = X[64,64]' * V[64,64]", SCT_STYLE_DATA);
    refuse("Y = X[64,64] * X", SCT_STYLE_DATA);
    refuse("Y = V[64,64] * X[64,64]; Z = W[64,64] * Y", SCT_STYLE_DATA);
    return check_report("products_styles");
}
