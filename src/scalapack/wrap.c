/* wrap.c - wraps arrays of the program, and finds the local part of a submatrix. */
#include "scalapack/wrap.h"
#include "scalapack/layout.h"

#include "base/status.h"

#include <stdio.h>

sct_slice sct_submatrix_slice(const sct_submatrix *x) {
    return (sct_slice){{x->row, x->row + x->rows}, {x->col, x->col + x->cols}};
}

sct_status sct_submatrix_wrap(sct_world *world, sct_type type, const sct_scalapack_grid *grid,
                              const sct_submatrix *x, sct_view *view) {
    sct_layout *layout = NULL;
    sct_matrix *matrix = NULL;
    char reason[SCT_REASON_BYTES];
    sct_status laid_out = sct_layout_of_descriptor(&x->descriptor, grid, &layout);
    snprintf(reason, sizeof reason, "%s", sct_last_reason());
    /* A rank whose layout could not be made passes NULL: the call then fails on all ranks, and the
     * reason says which rank has no layout. */
    sct_status status = sct_matrix_wrap(world, type, layout, x->data, x->descriptor.ld, &matrix);
    sct_layout_destroy(layout);
    if (!status)
        *view = (sct_view){matrix, sct_submatrix_slice(x)};
    return laid_out ? sct_fail(laid_out, "%s", reason) : status;
}

sct_local_part sct_submatrix_part(const sct_submatrix *x, sct_type type, const sct_grid *grid) {
    const sct_descriptor *d = &x->descriptor;
    sct_dealing down = sct_descriptor_rows(d, grid->rows),
                across = sct_descriptor_cols(d, grid->cols);
    int top = sct_dealing_owned(&down, grid->row, x->row);
    int left = sct_dealing_owned(&across, grid->col, x->col);
    sct_local_part part = {.rows = sct_dealing_owned(&down, grid->row, x->row + x->rows) - top,
                           .cols = sct_dealing_owned(&across, grid->col, x->col + x->cols) - left,
                           .ld = d->ld};
    if (part.rows > 0 && part.cols > 0)
        part.data = x->data + ((size_t)left * (size_t)d->ld + (size_t)top) * sct_type_bytes(type);
    return part;
}
