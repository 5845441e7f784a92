/* products.c - finds or makes the job of a product.
 *
 * All processes look for a product by what is the same on all of them, so that all find it or none.
 * Where its matrices lie, each process knows for itself: it is bound again if they have moved on
 * any. */
#include "scalapack/context.h"
#include "scalapack/wrap.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"

#include <sectile/sectile_tiles.h>
#include <stdio.h>
#include <string.h>

static bool same_shape(const sct_submatrix *x, const sct_submatrix *y) {
    sct_descriptor d = x->descriptor, e = y->descriptor;
    d.ld = e.ld = 0;
    return memcmp(&d, &e, sizeof d) == 0 && x->row == y->row && x->col == y->col &&
           x->rows == y->rows && x->cols == y->cols;
}

static bool same_place(const sct_submatrix *x, const sct_submatrix *y) {
    return x->data == y->data && x->descriptor.ld == y->descriptor.ld;
}

static bool same_product(const sct_product_call *x, const sct_product_call *y) {
    bool same = x->type == y->type && x->op_a == y->op_a && x->op_b == y->op_b;
    for (int i = 0; i < SCT_OPERANDS && same; i++)
        same = same_shape(&x->operand[i], &y->operand[i]);
    return same;
}

static bool same_memory(const sct_product_call *x, const sct_product_call *y) {
    bool same = true;
    for (int i = 0; i < SCT_OPERANDS; i++)
        same &= same_place(&x->operand[i], &y->operand[i]);
    return same;
}

/* ---- What is kept ---- */

/* Collective. */
static void unbind(sct_kept_product *product) {
    sct_job_destroy(product->job);
    product->job = NULL;
    for (int i = 0; i < SCT_OPERANDS; i++) {
        sct_matrix_destroy(product->matrix[i]);
        product->matrix[i] = NULL;
    }
}

/* Collective. */
static void forget(sct_kept_product *product) {
    unbind(product);
    sct_plan_destroy((sct_plan *)product->plan);
    *product = (sct_kept_product){.plan = NULL};
}

void sct_products_clear(sct_product_cache *products) {
    for (int i = 0; i < SCT_KEPT_PRODUCTS; i++)
        forget(&products->kept[i]);
}

/* The entry of a product; if it is none of those kept, the one not used for longest. */
static sct_kept_product *find(sct_product_cache *products, const sct_product_call *call,
                              bool *known) {
    sct_kept_product *oldest = &products->kept[0];
    for (int i = 0; i < SCT_KEPT_PRODUCTS; i++) {
        sct_kept_product *product = &products->kept[i];
        *known = product->last_use && same_product(&product->call, call);
        if (*known)
            return product;
        if (product->last_use < oldest->last_use)
            oldest = product;
    }
    return oldest;
}

/* ---- Making a job ---- */

static sct_status wrap(sct_context *context, sct_kept_product *product) {
    sct_status status = SCT_OK;
    for (int i = 0; i < SCT_OPERANDS && !status; i++) {
        sct_view view = {.matrix = NULL};
        status = sct_submatrix_wrap(context->world, product->call.type, &context->grid,
                                    &product->call.operand[i], &view);
        product->matrix[i] = view.matrix;
    }
    return status;
}

static sct_status make_plan(const sct_context *context, sct_kept_product *product) {
    sct_matrix *const *matrix = product->matrix;
    sct_slice view[SCT_OPERANDS];
    for (int i = 0; i < SCT_OPERANDS; i++)
        view[i] = sct_submatrix_slice(&product->call.operand[i]);
    const sct_problem problem = {.size = sizeof problem,
                                 .type = product->call.type,
                                 .op_a = product->call.op_a,
                                 .op_b = product->call.op_b,
                                 .a = sct_matrix_layout(matrix[SCT_A]),
                                 .b = sct_matrix_layout(matrix[SCT_B]),
                                 .c = sct_matrix_layout(matrix[SCT_C_]),
                                 .view_a = &view[SCT_A],
                                 .view_b = &view[SCT_B],
                                 .view_c = &view[SCT_C_],
                                 .ranks = sct_world_size(context->world),
                                 .ranks_per_node = sct_world_ranks_per_node(context->world),
                                 .ranks_per_node_a = sct_matrix_ranks_per_node(matrix[SCT_A]),
                                 .ranks_per_node_b = sct_matrix_ranks_per_node(matrix[SCT_B]),
                                 .ranks_per_node_c = sct_matrix_ranks_per_node(matrix[SCT_C_])};
    sct_plan *plan = NULL;
    sct_status status = sct_plan_create(&problem, sct_world_rank(context->world), NULL, &plan);
    product->plan = plan;
    return status;
}

/* Collective. A process without a plan takes part, so that all fail. */
static sct_status bind(sct_context *context, sct_kept_product *product) {
    sct_view view[SCT_OPERANDS];
    char reason[SCT_REASON_BYTES];
    sct_status planned = product->plan ? SCT_OK : make_plan(context, product);
    snprintf(reason, sizeof reason, "%s", sct_last_reason());
    for (int i = 0; i < SCT_OPERANDS; i++)
        view[i] = (sct_view){product->matrix[i], sct_submatrix_slice(&product->call.operand[i])};
    sct_status bound = sct_job_create(context->world, product->plan, view[SCT_A], view[SCT_B],
                                      view[SCT_C_], &product->job);
    return planned ? sct_fail(planned, "%s", reason) : bound;
}

/* ---- Agreement ---- */

static uint64_t hash_of(const sct_product_call *call) {
    uint64_t hash = sct_hash_of_nothing;
    hash = sct_hash_more(hash, &call->type, sizeof call->type);
    hash = sct_hash_more(hash, &call->op_a, sizeof call->op_a);
    hash = sct_hash_more(hash, &call->op_b, sizeof call->op_b);
    for (int i = 0; i < SCT_OPERANDS; i++) {
        sct_submatrix x = call->operand[i];
        const int place[] = {x.row, x.col, x.rows, x.cols};
        x.descriptor.ld = 0;
        x.descriptor.context = 0; /* a number of this process */
        hash = sct_hash_more(hash, &x.descriptor, sizeof x.descriptor);
        hash = sct_hash_more(hash, place, sizeof place);
    }
    return hash;
}

/* Collective: whether the product is bound to the memory of the call, on all processes. Hashes are
 * equal if their least is their greatest. */
static sct_status agree(const sct_context *context, const sct_product_call *call, bool mine,
                        bool *bound) {
    uint64_t hash = hash_of(call), least[] = {hash, ~hash, mine};
    sct_status status = sct_context_least(context, least, sizeof least / sizeof *least);
    *bound = least[2] != 0;
    if (!status && least[0] != ~least[1])
        status = sct_fail(SCT_DISAGREE, "a process calls with other arguments");
    return status;
}

/* Collective: binds the product to the memory of the call. */
static sct_status renew(sct_context *context, const sct_product_call *call,
                        sct_kept_product *product) {
    unbind(product);
    product->call = *call;
    product->uses = 0;
    sct_status status = wrap(context, product);
    return status ? status : bind(context, product);
}

/* ---- Products that come again ---- */

/* A product that has come so often will come again. To move memory to huge pages takes as long as
 * the system takes in two or three products to pin it in small ones. */
enum { USES_BEFORE_JOINING = 3 };

/* Whether processes of this node read a matrix by system calls, which pin it page by page: with
 * small pages, that takes as long as to copy. */
static bool is_read_by_calls(const sct_context *context, const sct_kept_product *product, int i) {
    static const sct_stay of[SCT_OPERANDS] = {SCT_STAY_A, SCT_STAY_B, SCT_STAY_C};
    bool stays = !sct_plan_work(product->plan) && sct_plan_stay(product->plan) == of[i];
    return !stays && sct_world_ranks_per_node(context->world) > 1 &&
           sct_matrix_ranks_per_node(product->matrix[i]) == 1;
}

static void join_pages(const sct_matrix *matrix) {
    sct_block part = {.cols = 0};
    int count;
    sct_matrix_blocks(matrix, 1, &part, &count);
    int64_t elements = part.cols > 0 ? part.ld * (part.cols - 1) + part.rows : 0;
    sct_memory_join_pages(part.data, (size_t)elements * sct_type_bytes(sct_matrix_type(matrix)));
}

static void join_read_pages(const sct_context *context, const sct_kept_product *product) {
    for (int i = 0; i < SCT_OPERANDS; i++)
        if (is_read_by_calls(context, product, i))
            join_pages(product->matrix[i]);
}

/* What is kept changes only if all processes make the same call: then all change the same entry. */
sct_status sct_products_find(sct_context *context, const sct_product_call *call, sct_job **job) {
    bool known;
    sct_kept_product *product = find(&context->products, call, &known);
    bool bound = known && product->job && same_memory(&product->call, call);
    sct_status status = agree(context, call, bound, &bound);
    if (status)
        return status;
    if (!known)
        forget(product);
    if (!bound && (status = renew(context, call, product))) {
        forget(product);
        return status;
    }
    if (++product->uses == USES_BEFORE_JOINING)
        join_read_pages(context, product);
    product->last_use = ++context->products.uses;
    *job = product->job;
    return SCT_OK;
}
