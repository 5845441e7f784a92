/* tran.c - C = alpha op(A) + beta C, where op transposes: a copy into C, or, if C counts too, into
 * memory of the same layout that is then added. */
#include "scalapack/tran.h"
#include "scalapack/combine.h"
#include "scalapack/context.h"
#include "scalapack/scalar.h"
#include "scalapack/settings.h"

#include <stdlib.h>

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
                         const sct_tran_call *call, const sct_findings *findings,
                         const sct_submatrix *a, const sct_submatrix *c) {
    sct_type type = routine->type;
    sct_local_part part = sct_submatrix_part(c, type, &findings->grid);
    sct_context *context;
    if (sct_element_is(type, call->alpha, 0)) {
        sct_combine(type, call->alpha, &part, call->beta, &part);
        return SCT_NOT_PASSED;
    }
    sct_status status = sct_context_find(program, findings->context, &context);
    if (!status && !sct_element_is(type, call->beta, 0))
        status = add(context, &findings->grid, type, op, call, a, c);
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
    sct_findings findings;
    sct_submatrix a, c;
    if (!sct_program_fits(program, context) ||
        sct_findings_begin(program, call->a.entries, DESC_A, &findings))
        return SCT_CANNOT;
    sct_findings_check(&findings, &call->a, n, N, m, M, DESC_A, &a);
    sct_findings_check(&findings, &call->c, m, M, n, N, DESC_C, &c);
    if (sct_findings_end(&findings))
        return SCT_BAD;
    bool idle = m == 0 || n == 0 ||
                (sct_element_is(routine->type, call->alpha, 0) &&
                 sct_element_is(routine->type, call->beta, 1));
    return idle ? SCT_NOT_PASSED : serve(program, routine, op, call, &findings, &a, &c);
}

void sct_tran_run(const sct_routine *routine, sct_op op, const void *caller,
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
