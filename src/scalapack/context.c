/* context.c - finds the context of a program in the part of Sectile for its MPI; finds or wraps
 * the matrices of a product.
 *
 * All processes look for a product by what is the same on all of them, so that all find it or
 * none. Where its matrices lie, each process knows for itself: they are wrapped again if they have
 * moved on any. */
#include "scalapack/context.h"

#include "base/hash.h"
#include "base/status.h"
#include "scalapack/arguments.h"
#include "scalapack/mpi/contexts.h"

#include <string.h>

/* ---- The last products ---- */

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
static void forget(sct_kept_product *product) {
    for (int i = 0; i < SCT_OPERANDS; i++)
        sct_matrix_destroy(product->matrix[i]);
    *product = (sct_kept_product){.last_use = 0};
}

/* Collective. */
static void products_clear(sct_product_cache *products) {
    for (int i = 0; i < SCT_KEPT_PRODUCTS; i++)
        forget(&products->kept[i]);
}

/* The entry of a product; if it is none of those kept, the one not used for longest. */
static sct_kept_product *find_product(sct_product_cache *products, const sct_product_call *call,
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

/* Collective: whether the matrices are wrapped in the memory of the call, on all processes. Hashes
 * are equal if their least is their greatest. */
static sct_status agree(const sct_context *context, const sct_product_call *call, bool mine,
                        bool *there) {
    uint64_t hash = hash_of(call), least[] = {hash, ~hash, mine};
    sct_status status = sct_context_least(context, least, sizeof least / sizeof *least);
    *there = least[2] != 0;
    if (!status && least[0] != ~least[1])
        status = sct_fail(SCT_DISAGREE, "a process calls with other arguments");
    return status;
}

/* Collective: wraps the matrices of a call. */
static sct_status renew(const sct_context *context, const sct_product_call *call,
                        sct_kept_product *product) {
    sct_status status = SCT_OK;
    forget(product);
    product->call = *call;
    for (int i = 0; i < SCT_OPERANDS && !status; i++) {
        sct_view view = {.matrix = NULL};
        status = sct_submatrix_wrap(context->world, call->type, &context->grid, &call->operand[i],
                                    &view);
        product->matrix[i] = view.matrix;
    }
    return status;
}

/* What is kept changes only if all processes make the same call: then all change the same entry. */
sct_status sct_products_find(sct_context *context, const sct_product_call *call,
                             sct_view view[SCT_OPERANDS]) {
    bool known;
    sct_kept_product *product = find_product(&context->products, call, &known);
    bool there = known && same_memory(&product->call, call);
    sct_status status = agree(context, call, there, &there);
    if (status)
        return status;
    if (!there && (status = renew(context, call, product))) {
        forget(product);
        return status;
    }
    product->last_use = ++context->products.uses;
    for (int i = 0; i < SCT_OPERANDS; i++)
        view[i] = (sct_view){product->matrix[i], sct_submatrix_slice(&call->operand[i])};
    return SCT_OK;
}

/* ---- Contexts ---- */

/* The contexts of the last calls, by their numbers: most calls are small, and finding an attribute
 * of a communicator takes a part of their time. */
enum { PLACES = 64 };
static struct {
    const sct_program *program;
    sct_context *context; /* NULL: none */
} last[PLACES];

static void end(sct_context *context) {
    int place = context->number % PLACES;
    if (last[place].context == context)
        last[place].context = NULL;
    products_clear(&context->products);
}

static sct_context *find_last(const sct_program *program, int number) {
    sct_context *found = number >= 0 ? last[number % PLACES].context : NULL;
    bool same = found && found->number == number && last[number % PLACES].program == program;
    return same ? found : NULL;
}

/* Collective the first time. */
static sct_status find(sct_program *program, int number, const sct_settings *own,
                       sct_context **found) {
    sct_blacs_context blacs;
    const sct_mpi_contexts *mpi = sct_program_mpi(program);
    sct_status status = sct_program_context(program, number, &blacs);
    if (!status)
        status = mpi->find(&blacs, own, end, found);
    if (status)
        return status;
    (*found)->mpi = mpi;
    (*found)->number = number;
    last[number % PLACES].program = program;
    last[number % PLACES].context = *found;
    return SCT_OK;
}

/* Whether this process is one of a context that can be used. */
static bool is_inside(const sct_program *program, int number) {
    sct_grid grid;
    return number >= 0 && sct_program_mpi(program) && !sct_program_grid(program, number, &grid) &&
           grid.row >= 0;
}

sct_passing sct_context_passing(sct_program *program, int number, const sct_call_shape *shape) {
    const sct_settings own = sct_settings_own(program);
    sct_context *context = find_last(program, number);
    sct_status status = SCT_OK;
    if (!context && is_inside(program, number))
        status = find(program, number, &own, &context);
    if (status)
        return sct_passing_after(status);
    return sct_settings_passing(context && context->differs ? &context->settings : &own, shape);
}

sct_status sct_context_find(sct_program *program, int number, sct_context **found) {
    const sct_settings own = sct_settings_own(program);
    sct_blacs_context blacs;
    sct_status status = find(program, number, &own, found);
    if (!status)
        status = sct_program_context(program, number, &blacs);
    return status ? status : (*found)->mpi->open(*found, &blacs);
}

sct_status sct_context_exchange(const sct_context *context, const void *mine, size_t bytes,
                                void *all) {
    return context->mpi->exchange(context, mine, bytes, all);
}

sct_status sct_context_least(const sct_context *context, uint64_t *values, int count) {
    return context->mpi->least(context, values, count);
}
