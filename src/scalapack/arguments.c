/* arguments.c - the rules for arguments of ScaLAPACK.
 *
 * The code of an argument is 100 times its number, plus the number of the entry, from 1 on, if it
 * is a descriptor; of all errors the least code is reported. The number of an entry is that in a
 * descriptor with 11 entries. */
#include "scalapack/arguments.h"

#include "base/status.h"

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

static void note(sct_findings *findings, bool wrong, int code) {
    if (wrong && (findings->least == 0 || code < findings->least))
        findings->least = code;
}

void sct_findings_note(sct_findings *findings, int position) {
    note(findings, findings->grid.rows >= 0, position * PER_ARGUMENT);
}

sct_status sct_findings_begin(const sct_program *program, const int *entries, int position,
                              sct_findings *findings) {
    *findings = (sct_findings){.context = sct_descriptor_read(entries).context};
    sct_status status = sct_program_grid(program, findings->context, &findings->grid);
    note(findings, findings->grid.rows < 0, position * PER_ARGUMENT + CONTEXT);
    return status;
}

static void check_descriptor(sct_findings *findings, const sct_descriptor *d, int code) {
    note(findings, d->kind != SCT_BLOCK_CYCLIC && d->kind != SCT_BLOCK_CYCLIC_FIRST, code + KIND);
    note(findings, d->context != findings->context, code + CONTEXT);
    note(findings, d->rows < 0, code + ROWS);
    note(findings, d->cols < 0, code + COLS);
    note(findings, d->first_rows < 1, code + FIRST_ROWS);
    note(findings, d->first_cols < 1, code + FIRST_COLS);
    note(findings, d->block_rows < 1, code + BLOCK_ROWS);
    note(findings, d->block_cols < 1, code + BLOCK_COLS);
    note(findings, d->source_row < -1 || d->source_row >= findings->grid.rows, code + SOURCE_ROW);
    note(findings, d->source_col < -1 || d->source_col >= findings->grid.cols, code + SOURCE_COL);
    note(findings, d->ld < 1, code + LD);
}

/* The submatrix is within the matrix, and the leading dimension suffices. */
static void check_extent(sct_findings *findings, const sct_submatrix *x, int position) {
    const sct_descriptor *d = &x->descriptor;
    int code = position * PER_ARGUMENT;
    note(findings, d->rows < 1, code + ROWS);
    note(findings, d->cols < 1, code + COLS);
    if (d->rows >= 1 && d->cols >= 1) {
        note(findings, x->row > d->rows - x->rows, code - 2 * PER_ARGUMENT);
        note(findings, x->col > d->cols - x->cols, code - PER_ARGUMENT);
    }
    if (findings->least)
        return;
    sct_dealing dealing = sct_descriptor_rows(d, findings->grid.rows);
    note(findings, d->ld < sct_dealing_owned(&dealing, findings->grid.row, d->rows), code + LD);
}

void sct_findings_check(sct_findings *findings, const sct_matrix_argument *operand, int rows,
                        int rows_position, int cols, int cols_position, int position,
                        sct_submatrix *checked) {
    sct_submatrix x = {.data = (char *)operand->data,
                       .descriptor = sct_descriptor_read(operand->entries),
                       .row = *operand->row - 1,
                       .col = *operand->col - 1,
                       .rows = rows,
                       .cols = cols};
    *checked = x;
    if (findings->grid.rows < 0)
        return;
    note(findings, rows < 0, rows_position * PER_ARGUMENT);
    note(findings, cols < 0, cols_position * PER_ARGUMENT);
    note(findings, x.row < 0, (position - 2) * PER_ARGUMENT);
    note(findings, x.col < 0, (position - 1) * PER_ARGUMENT);
    check_descriptor(findings, &x.descriptor, position * PER_ARGUMENT);
    if (rows != 0 && cols != 0)
        check_extent(findings, &x, position);
}

sct_status sct_findings_end(const sct_findings *findings) {
    int position = findings->least / PER_ARGUMENT, entry = findings->least % PER_ARGUMENT;
    if (!findings->least)
        return SCT_OK;
    if (entry)
        return sct_fail(SCT_BAD_ARGUMENT, "entry %d of parameter %d has an illegal value", entry,
                        position);
    return sct_fail(SCT_BAD_ARGUMENT, "parameter %d has an illegal value", position);
}
