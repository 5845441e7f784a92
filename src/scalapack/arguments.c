/* arguments.c - the rules for arguments of ScaLAPACK; wraps arrays of the program.
 *
 * The code of an argument is 100 times its number, plus the number of the entry, from 1 on, if it
 * is a descriptor; of all errors the least code is reported. The number of an entry is that in a
 * descriptor with 11 entries. */
#include "scalapack/arguments.h"

#include "base/status.h"
#include "scalapack/descriptor.h"

#include <stdio.h>

enum { PER_ARGUMENT = 100 };

/* The numbers of the entries of a descriptor with 11. */
enum {
    KIND = 1,
    CONTEXT,
    ROWS,
    COLS,
    FIRST_ROWS,
    FIRST_COLS,
    BLOCK_ROWS,
    BLOCK_COLS,
    SOURCE_ROW,
    SOURCE_COL,
    LD
};

static void note(sct_argument_errors *errors, bool wrong, int code) {
    if (wrong && (errors->least == 0 || code < errors->least))
        errors->least = code;
}

void sct_argument_errors_note(sct_argument_errors *errors, int position) {
    note(errors, errors->grid.rows >= 0, position * PER_ARGUMENT);
}

sct_status sct_argument_errors_begin(const sct_program *program, const int *entries, int position,
                                     sct_argument_errors *errors) {
    *errors = (sct_argument_errors){.context = sct_descriptor_read(entries).context};
    sct_status status = sct_program_grid(program, errors->context, &errors->grid);
    note(errors, errors->grid.rows < 0, position * PER_ARGUMENT + CONTEXT);
    return status;
}

static void check_descriptor(sct_argument_errors *errors, const sct_descriptor *d, int code) {
    note(errors, d->kind != SCT_BLOCK_CYCLIC && d->kind != SCT_BLOCK_CYCLIC_FIRST, code + KIND);
    note(errors, d->context != errors->context, code + CONTEXT);
    note(errors, d->rows < 0, code + ROWS);
    note(errors, d->cols < 0, code + COLS);
    note(errors, d->first_rows < 1, code + FIRST_ROWS);
    note(errors, d->first_cols < 1, code + FIRST_COLS);
    note(errors, d->block_rows < 1, code + BLOCK_ROWS);
    note(errors, d->block_cols < 1, code + BLOCK_COLS);
    note(errors, d->source_row < -1 || d->source_row >= errors->grid.rows, code + SOURCE_ROW);
    note(errors, d->source_col < -1 || d->source_col >= errors->grid.cols, code + SOURCE_COL);
    note(errors, d->ld < 1, code + LD);
}

/* The submatrix is within the matrix, and the leading dimension suffices. */
static void check_extent(sct_argument_errors *errors, const sct_submatrix *x, int position) {
    const sct_descriptor *d = &x->descriptor;
    int code = position * PER_ARGUMENT;
    note(errors, d->rows < 1, code + ROWS);
    note(errors, d->cols < 1, code + COLS);
    if (d->rows >= 1 && d->cols >= 1) {
        note(errors, x->row > d->rows - x->rows, code - 2 * PER_ARGUMENT);
        note(errors, x->col > d->cols - x->cols, code - PER_ARGUMENT);
    }
    if (errors->least)
        return;
    sct_dealing dealing = sct_descriptor_rows(d, errors->grid.rows);
    note(errors, d->ld < sct_dealing_owned(&dealing, errors->grid.row, d->rows), code + LD);
}

void sct_argument_errors_check(sct_argument_errors *errors, const sct_matrix_argument *operand,
                               int rows, int rows_position, int cols, int cols_position,
                               int position, sct_submatrix *checked) {
    sct_submatrix x = {.data = (char *)operand->data,
                       .descriptor = sct_descriptor_read(operand->entries),
                       .row = *operand->row - 1,
                       .col = *operand->col - 1,
                       .rows = rows,
                       .cols = cols};
    *checked = x;
    if (errors->grid.rows < 0)
        return;
    note(errors, rows < 0, rows_position * PER_ARGUMENT);
    note(errors, cols < 0, cols_position * PER_ARGUMENT);
    note(errors, x.row < 0, (position - 2) * PER_ARGUMENT);
    note(errors, x.col < 0, (position - 1) * PER_ARGUMENT);
    check_descriptor(errors, &x.descriptor, position * PER_ARGUMENT);
    if (rows != 0 && cols != 0)
        check_extent(errors, &x, position);
}

sct_status sct_argument_errors_end(const sct_argument_errors *errors) {
    int position = errors->least / PER_ARGUMENT, entry = errors->least % PER_ARGUMENT;
    if (!errors->least)
        return SCT_OK;
    if (entry)
        return sct_fail(SCT_BAD_ARGUMENT, "entry %d of parameter %d has an illegal value", entry,
                        position);
    return sct_fail(SCT_BAD_ARGUMENT, "parameter %d has an illegal value", position);
}

/* ---- Matrices ---- */

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
