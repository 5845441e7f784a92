/* tran.c - p?tran, p?tranu and p?tranc by their names: those of ScaLAPACK, and the same with a
 * prefix.
 *
 * C = alpha op(A) + beta C, where op transposes, is a copy into C, or, if C counts too, into
 * memory of the same layout that is then added. */
#include "scalapack/arguments.h"
#include "scalapack/combine.h"
#include "scalapack/context.h"
#include "scalapack/routine.h"
#include "scalapack/settings.h"

#include <sectile/sectile_scalapack.h>
#include <stdlib.h>

/* The arguments as the program passed them. */
typedef struct sct_tran_call {
    const int *m, *n;
    const void *alpha, *beta;
    sct_matrix_argument a, c;
} sct_tran_call;

/* The numbers of the arguments. */
enum { M = 1, N, DESC_A = 7, DESC_C = 12 };

/* Zero in any type. */
static const double zero[2] = {0, 0};

/* A submatrix with the layout of sub(C) and dense memory of its own, which is `part`. */
static sct_submatrix like(const sct_submatrix *c, const sct_grid *grid, sct_local_part *part,
                          sct_type type) {
    sct_dealing down = sct_descriptor_rows(&c->descriptor, grid->rows),
                across = sct_descriptor_cols(&c->descriptor, grid->cols);
    down = sct_dealing_part(&down, c->row, c->rows);
    across = sct_dealing_part(&across, c->col, c->cols);
    part->ld = part->rows > 0 ? part->rows : 1;
    size_t elements = (size_t)part->ld * (size_t)part->cols;
    part->data = malloc(elements * sct_type_bytes(type) + 1);
    return (sct_submatrix){.data = part->data,
                           .descriptor = {.kind = SCT_BLOCK_CYCLIC_FIRST,
                                          .context = c->descriptor.context,
                                          .rows = c->rows,
                                          .cols = c->cols,
                                          .first_rows = down.first,
                                          .first_cols = across.first,
                                          .block_rows = down.block,
                                          .block_cols = across.block,
                                          .source_row = down.source,
                                          .source_col = across.source,
                                          .ld = part->ld},
                           .rows = c->rows,
                           .cols = c->cols};
}

/* Collective: op(A) into a submatrix. */
static sct_status copy(const sct_context *context, sct_type type, sct_op op, const sct_submatrix *a,
                       const sct_submatrix *to) {
    sct_view from_view = {.matrix = NULL}, to_view = {.matrix = NULL};
    sct_status status = sct_submatrix_wrap(context->world, type, &context->grid, a, &from_view);
    if (!status)
        status = sct_submatrix_wrap(context->world, type, &context->grid, to, &to_view);
    if (!status)
        status = sct_copy(op, from_view, to_view, NULL);
    sct_matrix_destroy(to_view.matrix);
    sct_matrix_destroy(from_view.matrix);
    return status;
}

static sct_status add(const sct_context *context, const sct_grid *grid, sct_type type, sct_op op,
                      const sct_tran_call *call, const sct_submatrix *a, const sct_submatrix *c) {
    sct_local_part to = sct_submatrix_part(c, type, grid), turned = to;
    sct_submatrix between = like(c, grid, &turned, type);
    sct_status status = copy(context, type, op, a, &between);
    if (!status)
        sct_combine(type, call->alpha, &turned, call->beta, &to);
    free(turned.data);
    return status;
}

/* Why the call cannot be served; SCT_NOT_PASSED if it has been. */
static sct_passing serve(sct_program *program, const sct_routine *routine, sct_op op,
                         const sct_tran_call *call, const sct_argument_errors *errors,
                         const sct_submatrix *a, const sct_submatrix *c) {
    sct_type type = routine->type;
    sct_local_part part = sct_submatrix_part(c, type, &errors->grid);
    sct_context *context;
    if (sct_element_is(type, call->alpha, 0)) {
        sct_combine(type, call->alpha, &part, call->beta, &part);
        return SCT_NOT_PASSED;
    }
    sct_status status = sct_context_find(program, errors->context, &context);
    if (!status && !sct_element_is(type, call->beta, 0))
        status = add(context, &errors->grid, type, op, call, a, c);
    else if (!status) {
        status = copy(context, type, op, a, c);
        if (!status && !sct_element_is(type, call->alpha, 1))
            sct_combine(type, call->alpha, &part, zero, &part);
    }
    return sct_passing_after(status);
}

static void pass_on(sct_function *original, const sct_tran_call *x) {
    ((sct_scalapack_tran *)original)(x->m, x->n, x->alpha, x->a.data, x->a.row, x->a.col,
                                     x->a.entries, x->beta, (void *)x->c.data, x->c.row, x->c.col,
                                     x->c.entries);
}

/* Serves the call, if it can be served; otherwise says why not. */
static sct_passing consider(sct_program *program, const sct_routine *routine, sct_op op,
                            const sct_tran_call *call, int context) {
    int m = *call->m, n = *call->n;
    sct_argument_errors errors;
    sct_submatrix a, c;
    if (!sct_program_fits(program, context) ||
        sct_argument_errors_begin(program, call->a.entries, DESC_A, &errors))
        return SCT_CANNOT;
    sct_argument_errors_check(&errors, &call->a, n, N, m, M, DESC_A, &a);
    sct_argument_errors_check(&errors, &call->c, m, M, n, N, DESC_C, &c);
    if (sct_argument_errors_end(&errors))
        return SCT_BAD;
    bool idle = m == 0 || n == 0 ||
                (sct_element_is(routine->type, call->alpha, 0) &&
                 sct_element_is(routine->type, call->beta, 1));
    return idle ? SCT_NOT_PASSED : serve(program, routine, op, call, &errors, &a, &c);
}

/* Serves a call of the code at `caller`, or passes it on. ScaLAPACK reports bad arguments. */
static void tran_run(const sct_routine *routine, sct_op op, const void *caller,
                     const sct_tran_call *call) {
    sct_program *program = sct_program_of(caller);
    sct_function *original = sct_program_original(program, routine);
    const sct_call_shape shape = {*call->m, *call->n, SCT_COPIED};
    int context = sct_descriptor_read(call->a.entries).context;
    sct_passing why = original ? sct_context_passing(program, context, &shape) : SCT_NOT_PASSED;
    double start = sct_call_start(why);
    if (!why)
        why = consider(program, routine, op, call, context);
    if (why && !original)
        sct_program_abort(program, context, routine->name, sct_last_reason());
    if (why)
        pass_on(original, call);
    sct_tally(why, start, &shape);
}

/* ---- Names ---- */

SCT_API sct_scalapack_tran pstran_, pdtran_, pctranu_, pztranu_, pctranc_, pztranc_;

/* The same, whatever else has their names. */
static sct_scalapack_tran own_pstran __attribute__((alias("pstran_")));
static sct_scalapack_tran own_pdtran __attribute__((alias("pdtran_")));
static sct_scalapack_tran own_pctranu __attribute__((alias("pctranu_")));
static sct_scalapack_tran own_pztranu __attribute__((alias("pztranu_")));
static sct_scalapack_tran own_pctranc __attribute__((alias("pctranc_")));
static sct_scalapack_tran own_pztranc __attribute__((alias("pztranc_")));

void pstran_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
             const int *ja, const int *desc_a, const void *beta, void *c, const int *ic,
             const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PSTRAN,
                                        .type = SCT_F32,
                                        .name = "PSTRAN",
                                        .symbol = "pstran_",
                                        .ours = (sct_function *)own_pstran};
    const sct_tran_call call = {m, n, alpha, beta, {a, ia, ja, desc_a}, {c, ic, jc, desc_c}};
    tran_run(&routine, SCT_T, __builtin_return_address(0), &call);
}

void pdtran_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
             const int *ja, const int *desc_a, const void *beta, void *c, const int *ic,
             const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PDTRAN,
                                        .type = SCT_F64,
                                        .name = "PDTRAN",
                                        .symbol = "pdtran_",
                                        .ours = (sct_function *)own_pdtran};
    const sct_tran_call call = {m, n, alpha, beta, {a, ia, ja, desc_a}, {c, ic, jc, desc_c}};
    tran_run(&routine, SCT_T, __builtin_return_address(0), &call);
}

void pctranu_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
              const int *ja, const int *desc_a, const void *beta, void *c, const int *ic,
              const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PCTRANU,
                                        .type = SCT_CF32,
                                        .name = "PCTRANU",
                                        .symbol = "pctranu_",
                                        .ours = (sct_function *)own_pctranu};
    const sct_tran_call call = {m, n, alpha, beta, {a, ia, ja, desc_a}, {c, ic, jc, desc_c}};
    tran_run(&routine, SCT_T, __builtin_return_address(0), &call);
}

void pztranu_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
              const int *ja, const int *desc_a, const void *beta, void *c, const int *ic,
              const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PZTRANU,
                                        .type = SCT_CF64,
                                        .name = "PZTRANU",
                                        .symbol = "pztranu_",
                                        .ours = (sct_function *)own_pztranu};
    const sct_tran_call call = {m, n, alpha, beta, {a, ia, ja, desc_a}, {c, ic, jc, desc_c}};
    tran_run(&routine, SCT_T, __builtin_return_address(0), &call);
}

void pctranc_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
              const int *ja, const int *desc_a, const void *beta, void *c, const int *ic,
              const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PCTRANC,
                                        .type = SCT_CF32,
                                        .name = "PCTRANC",
                                        .symbol = "pctranc_",
                                        .ours = (sct_function *)own_pctranc};
    const sct_tran_call call = {m, n, alpha, beta, {a, ia, ja, desc_a}, {c, ic, jc, desc_c}};
    tran_run(&routine, SCT_C, __builtin_return_address(0), &call);
}

void pztranc_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
              const int *ja, const int *desc_a, const void *beta, void *c, const int *ic,
              const int *jc, const int *desc_c) {
    static const sct_routine routine = {.number = SCT_PZTRANC,
                                        .type = SCT_CF64,
                                        .name = "PZTRANC",
                                        .symbol = "pztranc_",
                                        .ours = (sct_function *)own_pztranc};
    const sct_tran_call call = {m, n, alpha, beta, {a, ia, ja, desc_a}, {c, ic, jc, desc_c}};
    tran_run(&routine, SCT_C, __builtin_return_address(0), &call);
}

extern sct_scalapack_tran sectile_pstran_ __attribute__((alias("pstran_")));
extern sct_scalapack_tran sectile_pdtran_ __attribute__((alias("pdtran_")));
extern sct_scalapack_tran sectile_pctranu_ __attribute__((alias("pctranu_")));
extern sct_scalapack_tran sectile_pztranu_ __attribute__((alias("pztranu_")));
extern sct_scalapack_tran sectile_pctranc_ __attribute__((alias("pctranc_")));
extern sct_scalapack_tran sectile_pztranc_ __attribute__((alias("pztranc_")));
