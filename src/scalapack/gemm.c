/* gemm.c - p?gemm by its names: that of ScaLAPACK, and the same with a prefix. A call is served,
 * passed on to ScaLAPACK, or has a bad argument. */
#include "scalapack/arguments.h"
#include "scalapack/combine.h"
#include "scalapack/context.h"
#include "scalapack/routine.h"
#include "scalapack/settings.h"

#include <sectile/sectile_scalapack.h>

/* The arguments as the program passed them. */
typedef struct sct_gemm_call {
    const char *op_a, *op_b;
    const int *m, *n, *k;
    const void *alpha, *beta;
    sct_matrix_argument a, b, c;
} sct_gemm_call;

/* The numbers of the arguments. */
enum { OP_A = 1, OP_B, M, N, K, DESC_A = 10, DESC_B = 14, DESC_C = 19 };

static bool read_op(const char *text, sct_op *op) {
    switch (*text) {
    case 'N':
    case 'n':
        *op = SCT_N;
        return true;
    case 'T':
    case 't':
        *op = SCT_T;
        return true;
    case 'C':
    case 'c':
        *op = SCT_C;
        return true;
    default:
        return false;
    }
}

/* The operands, checked as ScaLAPACK does, where an unknown op counts as a transpose. Fails if the
 * call has a bad argument. */
static sct_status check(const sct_routine *routine, const sct_gemm_call *call,
                        sct_argument_errors *errors, sct_product_call *product) {
    int m = *call->m, n = *call->n, k = *call->k;
    *product = (sct_product_call){.type = routine->type, .op_a = SCT_T, .op_b = SCT_T};
    bool known_a = read_op(call->op_a, &product->op_a),
         known_b = read_op(call->op_b, &product->op_b);
    sct_submatrix *x = product->operand;
    if (product->op_a == SCT_N)
        sct_argument_errors_check(errors, &call->a, m, M, k, K, DESC_A, &x[SCT_A]);
    else
        sct_argument_errors_check(errors, &call->a, k, K, m, M, DESC_A, &x[SCT_A]);
    if (product->op_b == SCT_N)
        sct_argument_errors_check(errors, &call->b, k, K, n, N, DESC_B, &x[SCT_B]);
    else
        sct_argument_errors_check(errors, &call->b, n, N, k, K, DESC_B, &x[SCT_B]);
    sct_argument_errors_check(errors, &call->c, m, M, n, N, DESC_C, &x[SCT_C_]);
    if (!known_a)
        sct_argument_errors_note(errors, OP_A);
    if (!known_b)
        sct_argument_errors_note(errors, OP_B);
    return sct_argument_errors_end(errors);
}

/* True if the result does not depend on A and B. With k = 0 these are empty, and their indices may
 * lie outside their matrices. */
static bool is_scaling(const sct_routine *routine, const sct_gemm_call *call) {
    return *call->k == 0 || sct_element_is(routine->type, call->alpha, 0);
}

/* True if C stays as it is. */
static bool is_idle(const sct_routine *routine, const sct_gemm_call *call) {
    return *call->m == 0 || *call->n == 0 ||
           (is_scaling(routine, call) && sct_element_is(routine->type, call->beta, 1));
}

/* C = beta C. Each process scales its own part. */
static void scale(const sct_routine *routine, const sct_gemm_call *call, const sct_grid *grid,
                  const sct_submatrix *c) {
    static const double zero[2] = {0, 0};
    sct_local_part part = sct_submatrix_part(c, routine->type, grid);
    sct_combine(routine->type, zero, &part, call->beta, &part);
}

/* Completes a product. If it fails and beta is 0, ScaLAPACK can still compute it, since what C held
 * is not needed. Otherwise C may have changed, and the program ends. */
static sct_passing complete(sct_program *program, const sct_routine *routine,
                            const sct_gemm_call *call, int number, sct_multiplying *multiplying) {
    sct_status status = sct_multiply_wait(multiplying);
    if (status && !sct_element_is(routine->type, call->beta, 0))
        sct_program_abort(program, number, routine->name, sct_last_reason());
    return sct_passing_after(status);
}

/* Why the call cannot be served; SCT_NOT_PASSED if it has been. */
static sct_passing serve(sct_program *program, const sct_routine *routine,
                         const sct_gemm_call *call, int number, const sct_product_call *product) {
    sct_context *context;
    sct_view view[SCT_OPERANDS];
    sct_multiplying *multiplying;
    sct_status status = sct_context_find(program, number, &context);
    if (!status)
        status = sct_products_find(context, product, view);
    if (!status)
        status = sct_multiply_start(product->op_a, product->op_b, call->alpha, view[SCT_A],
                                    view[SCT_B], call->beta, view[SCT_C_], NULL, &multiplying);
    if (status)
        return sct_passing_after(status);
    return complete(program, routine, call, number, multiplying);
}

static void pass_on(sct_function *original, const sct_gemm_call *x) {
    ((sct_scalapack_gemm *)original)(x->op_a, x->op_b, x->m, x->n, x->k, x->alpha, x->a.data,
                                     x->a.row, x->a.col, x->a.entries, x->b.data, x->b.row,
                                     x->b.col, x->b.entries, x->beta, (void *)x->c.data, x->c.row,
                                     x->c.col, x->c.entries);
}

/* Serves the call, if it can be served; otherwise says why not. */
static sct_passing consider(sct_program *program, const sct_routine *routine,
                            const sct_gemm_call *call, int context) {
    sct_argument_errors errors;
    sct_product_call product;
    if (!sct_program_fits(program, context) ||
        sct_argument_errors_begin(program, call->a.entries, DESC_A, &errors))
        return SCT_CANNOT;
    if (check(routine, call, &errors, &product))
        return SCT_BAD;
    if (is_idle(routine, call))
        return SCT_NOT_PASSED;
    if (!is_scaling(routine, call))
        return serve(program, routine, call, context, &product);
    scale(routine, call, &errors.grid, &product.operand[SCT_C_]);
    return SCT_NOT_PASSED;
}

/* Serves a call of the code at `caller`, or passes it on. ScaLAPACK reports bad arguments, and
 * checks what is passed on for being small, which is not looked at any further. */
static void gemm_run(const sct_routine *routine, const void *caller, const sct_gemm_call *call) {
    sct_program *program = sct_program_of(caller);
    sct_function *original = sct_program_original(program, routine);
    const sct_call_shape shape = {*call->m, *call->n, *call->k};
    int context = sct_descriptor_read(call->a.entries).context;
    sct_passing why = original ? sct_context_passing(program, context, &shape) : SCT_NOT_PASSED;
    double start = sct_call_start(why);
    if (!why)
        why = consider(program, routine, call, context);
    if (why && !original)
        sct_program_abort(program, context, routine->name, sct_last_reason());
    if (why)
        pass_on(original, call);
    sct_tally(why, start, &shape);
}

/* ---- Names ---- */

SCT_API sct_scalapack_gemm psgemm_, pdgemm_, pcgemm_, pzgemm_;

/* The same, whatever else has their names. */
static sct_scalapack_gemm own_psgemm __attribute__((alias("psgemm_")));
static sct_scalapack_gemm own_pdgemm __attribute__((alias("pdgemm_")));
static sct_scalapack_gemm own_pcgemm __attribute__((alias("pcgemm_")));
static sct_scalapack_gemm own_pzgemm __attribute__((alias("pzgemm_")));

static void run(const sct_routine *routine, const void *caller, const char *op_a, const char *op_b,
                const int *m, const int *n, const int *k, const void *alpha, const void *a,
                const int *ia, const int *ja, const int *desc_a, const void *b, const int *ib,
                const int *jb, const int *desc_b, const void *beta, void *c, const int *ic,
                const int *jc, const int *desc_c) {
    const sct_gemm_call call = {.op_a = op_a,
                                .op_b = op_b,
                                .m = m,
                                .n = n,
                                .k = k,
                                .alpha = alpha,
                                .beta = beta,
                                .a = {a, ia, ja, desc_a},
                                .b = {b, ib, jb, desc_b},
                                .c = {c, ic, jc, desc_c}};
    gemm_run(routine, caller, &call);
}

void psgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k,
             const void *alpha, const void *a, const int *ia, const int *ja, const int *desc_a,
             const void *b, const int *ib, const int *jb, const int *desc_b, const void *beta,
             void *c, const int *ic, const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PSGEMM,
                                        .type = SCT_F32,
                                        .name = "PSGEMM",
                                        .symbol = "psgemm_",
                                        .ours = (sct_function *)own_psgemm};
    run(&routine, __builtin_return_address(0), op_a, op_b, m, n, k, alpha, a, ia, ja, desc_a, b, ib,
        jb, desc_b, beta, c, ic, jc, desc_c);
}

void pdgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k,
             const void *alpha, const void *a, const int *ia, const int *ja, const int *desc_a,
             const void *b, const int *ib, const int *jb, const int *desc_b, const void *beta,
             void *c, const int *ic, const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PDGEMM,
                                        .type = SCT_F64,
                                        .name = "PDGEMM",
                                        .symbol = "pdgemm_",
                                        .ours = (sct_function *)own_pdgemm};
    run(&routine, __builtin_return_address(0), op_a, op_b, m, n, k, alpha, a, ia, ja, desc_a, b, ib,
        jb, desc_b, beta, c, ic, jc, desc_c);
}

void pcgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k,
             const void *alpha, const void *a, const int *ia, const int *ja, const int *desc_a,
             const void *b, const int *ib, const int *jb, const int *desc_b, const void *beta,
             void *c, const int *ic, const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PCGEMM,
                                        .type = SCT_CF32,
                                        .name = "PCGEMM",
                                        .symbol = "pcgemm_",
                                        .ours = (sct_function *)own_pcgemm};
    run(&routine, __builtin_return_address(0), op_a, op_b, m, n, k, alpha, a, ia, ja, desc_a, b, ib,
        jb, desc_b, beta, c, ic, jc, desc_c);
}

void pzgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k,
             const void *alpha, const void *a, const int *ia, const int *ja, const int *desc_a,
             const void *b, const int *ib, const int *jb, const int *desc_b, const void *beta,
             void *c, const int *ic, const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PZGEMM,
                                        .type = SCT_CF64,
                                        .name = "PZGEMM",
                                        .symbol = "pzgemm_",
                                        .ours = (sct_function *)own_pzgemm};
    run(&routine, __builtin_return_address(0), op_a, op_b, m, n, k, alpha, a, ia, ja, desc_a, b, ib,
        jb, desc_b, beta, c, ic, jc, desc_c);
}

extern sct_scalapack_gemm sectile_psgemm_ __attribute__((alias("psgemm_")));
extern sct_scalapack_gemm sectile_pdgemm_ __attribute__((alias("pdgemm_")));
extern sct_scalapack_gemm sectile_pcgemm_ __attribute__((alias("pcgemm_")));
extern sct_scalapack_gemm sectile_pzgemm_ __attribute__((alias("pzgemm_")));
