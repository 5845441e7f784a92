/* styles.c - the usual layouts of linear layers, such as tensor parallelism, and the time and
 * memory of a group of products in them.
 *
 * A layer multiplies activations by a weight. Tensor parallelism cuts the weight of one layer by
 * its outputs and that of the next by its inputs. So the activations between the two layers need
 * not move. */
#include "products/products.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>

enum { STYLES = SCT_STYLE_DATA + 1 };

/* Cut by rows or columns; whole on each rank; or, of weights, by what they take or make. */
typedef enum sct_style_cut { CUT_ROWS, CUT_COLS, CUT_NOT, CUT_INPUTS, CUT_OUTPUTS } sct_style_cut;

/* Of activations and weights, by whether an odd number of layers is before them. */
typedef struct sct_style_rule {
    const char *name;
    sct_style_cut activation[2], weight[2];
    bool shards_gradients; /* those of weights have rows on each rank */
} sct_style_rule;

static const sct_style_rule rules[STYLES] = {
    {"Megatron-LM", {CUT_NOT, CUT_COLS}, {CUT_OUTPUTS, CUT_INPUTS}, false},
    {"Megatron-LM, sequence parallel", {CUT_ROWS, CUT_COLS}, {CUT_OUTPUTS, CUT_INPUTS}, false},
    {"fully sharded (FSDP)", {CUT_ROWS, CUT_ROWS}, {CUT_ROWS, CUT_ROWS}, false},
    {"copied weights, sharded gradients", {CUT_ROWS, CUT_ROWS}, {CUT_NOT, CUT_NOT}, true},
    {"data parallel", {CUT_ROWS, CUT_ROWS}, {CUT_NOT, CUT_NOT}, false}};

const char *sct_style_name(sct_style style) {
    return (unsigned)style < STYLES ? rules[style].name : "unknown";
}

/* What a matrix is, and those that must have its layout. */
typedef enum sct_style_role { ROLE_NONE, ROLE_ACTIVATION, ROLE_WEIGHT } sct_style_role;

typedef struct sct_style_member {
    sct_style_role role;
    bool odd, transposed;
} sct_style_member;

typedef struct sct_styled {
    const sct_products *products;
    const sct_style_rule *rule;
    int ranks, fixes;
    sct_style_member *member; /* by matrix, of the first that must have the layout */
    sct_products_fix *fix;
} sct_styled;

static sct_style_member *member_of(const sct_styled *styled, int matrix) {
    return &styled->member[sct_products_root(styled->products, matrix)];
}

static bool join(const sct_styled *styled, int matrix, sct_style_member as) {
    sct_style_member *is = member_of(styled, matrix);
    if (is->role == ROLE_NONE)
        *is = as;
    return is->role == as.role && is->odd == as.odd && is->transposed == as.transposed;
}

static bool is_of_gradients(const sct_products *products, const sct_term *term) {
    bool any = false;
    for (int i = 0; i < SCT_MATS; i++)
        any = any || products->matrix[term->matrix[i]].gradient;
    return any;
}

/* False for a product that is no layer, or for a matrix that has two roles. */
static bool join_layer(const sct_styled *styled, const sct_term *term) {
    const int *of = term->matrix;
    bool odd = member_of(styled, of[SCT_MAT_A])->odd;
    bool is_layer = term->op[0] == SCT_N && styled->products->matrix[of[SCT_MAT_B]].computed < 0;
    return is_layer &&
           join(styled, of[SCT_MAT_A], (sct_style_member){ROLE_ACTIVATION, odd, false}) &&
           join(styled, of[SCT_MAT_B],
                (sct_style_member){ROLE_WEIGHT, odd, term->op[1] != SCT_N}) &&
           join(styled, of[SCT_MAT_C], (sct_style_member){ROLE_ACTIVATION, !odd, false});
}

static bool find_roles(const sct_styled *styled) {
    const sct_products *products = styled->products;
    bool layers = products->count > 0, gradients = false;
    for (int i = 0; i < products->count && layers; i++)
        if (is_of_gradients(products, &products->term[i]))
            gradients = true;
        else
            layers = join_layer(styled, &products->term[i]);
    return layers && (gradients || !styled->rule->shards_gradients);
}

static const char *kind_of(const sct_styled *styled, const sct_style_member *member) {
    const sct_style_rule *rule = styled->rule;
    sct_style_cut cut =
        member->role == ROLE_WEIGHT ? rule->weight[member->odd] : rule->activation[member->odd];
    if (cut == CUT_INPUTS || cut == CUT_OUTPUTS)
        cut = (cut == CUT_INPUTS) != member->transposed ? CUT_ROWS : CUT_COLS;
    return cut == CUT_NOT ? "row*%d" : cut == CUT_ROWS ? "row" : "col";
}

static sct_status fix(sct_styled *styled, int matrix, const char *kind) {
    const sct_symbol *symbol = &styled->products->matrix[matrix];
    char text[32];
    sct_layout *layout = NULL;
    snprintf(text, sizeof text, kind, styled->ranks);
    sct_status status =
        sct_layout_parse(text, symbol->rows.size, symbol->cols.size, styled->ranks, &layout);
    if (!status)
        styled->fix[styled->fixes++] = (sct_products_fix){symbol->name, layout};
    return status;
}

static sct_status fix_all(sct_styled *styled) {
    const sct_products *products = styled->products;
    sct_status status = SCT_OK;
    for (int i = 0; i < products->matrices && !status; i++) {
        const sct_style_member *member = member_of(styled, i);
        if (sct_products_root(products, i) == i)
            status = fix(styled, i, kind_of(styled, member));
        else if (products->matrix[i].gradient && member->role == ROLE_WEIGHT &&
                 styled->rule->shards_gradients)
            status = fix(styled, i, "row");
    }
    return status;
}

static sct_status choose(sct_styled *styled, const sct_products_search *search,
                         sct_products_choice *choice) {
    const sct_products *products = styled->products;
    styled->member = calloc((size_t)products->matrices + 1, sizeof *styled->member);
    styled->fix = calloc((size_t)products->matrices + 1, sizeof *styled->fix);
    sct_status status =
        styled->member && styled->fix ? SCT_OK : sct_no_memory("the layouts of a style");
    if (!status && !find_roles(styled))
        status =
            sct_fail(SCT_BAD_ARGUMENT, "%s: the group is no sequence of linear layers%s",
                     styled->rule->name, styled->rule->shards_gradients ? " with gradients" : "");
    if (!status)
        status = fix_all(styled);
    sct_products_search fixed = *search;
    fixed.fixes = styled->fixes;
    fixed.fix = styled->fix;
    if (!status)
        status = sct_products_choose(products, &fixed, choice);
    for (int i = 0; i < styled->fixes; i++)
        sct_layout_destroy((sct_layout *)styled->fix[i].layout);
    free(styled->member);
    free(styled->fix);
    return status;
}

sct_status sct_products_choose_style(const sct_products *products,
                                     const sct_products_search *search, sct_style style,
                                     sct_products_choice *choice) {
    sct_status status = sct_search_check(products, search, choice);
    if (!status && (unsigned)style >= STYLES)
        status = sct_fail(SCT_BAD_ARGUMENT, "style: %d is none", (int)style);
    if (status)
        return status;
    sct_styled styled = {.products = products, .rule = &rules[style], .ranks = search->ranks};
    return choose(&styled, search, choice);
}
