/* descriptor.c - reads array descriptors, and says which indices a process owns. */
#include "scalapack/descriptor.h"

sct_descriptor sct_descriptor_read(const int *entries) {
    sct_descriptor d = {.kind = entries[0], .context = entries[1]};
    if (d.kind != SCT_BLOCK_CYCLIC && d.kind != SCT_BLOCK_CYCLIC_FIRST)
        return d;
    const int *rest = entries + (d.kind == SCT_BLOCK_CYCLIC_FIRST ? 6 : 4);
    d.rows = entries[2];
    d.cols = entries[3];
    d.first_rows = entries[4];
    d.first_cols = entries[5];
    d.block_rows = rest[0];
    d.block_cols = rest[1];
    d.source_row = rest[2];
    d.source_col = rest[3];
    d.ld = rest[4];
    return d;
}

sct_dealing sct_descriptor_rows(const sct_descriptor *d, int grid_rows) {
    return (sct_dealing){d->rows, d->first_rows, d->block_rows, d->source_row, grid_rows};
}

sct_dealing sct_descriptor_cols(const sct_descriptor *d, int grid_cols) {
    return (sct_dealing){d->cols, d->first_cols, d->block_cols, d->source_col, grid_cols};
}

int sct_dealing_owned(const sct_dealing *dealing, int coord, int end) {
    if (dealing->source < 0 || dealing->coords == 1)
        return end;
    int turn = (coord - dealing->source + dealing->coords) % dealing->coords;
    if (end <= dealing->first)
        return turn == 0 ? end : 0;
    int after = end - dealing->first; /* in blocks 1, 2, ... */
    int blocks = after / dealing->block, rest = after % dealing->block;
    int owned = turn == 0 ? dealing->first : 0;
    /* of the whole blocks 1 to `blocks`, those with number = turn modulo coords */
    owned += (blocks / dealing->coords) * dealing->block;
    int left = blocks % dealing->coords;
    int place = (turn - 1 + dealing->coords) % dealing->coords;
    if (place < left)
        owned += dealing->block;
    return place == left ? owned + rest : owned;
}

sct_dealing sct_dealing_part(const sct_dealing *dealing, int begin, int extent) {
    sct_dealing part = *dealing;
    part.extent = extent;
    if (begin < dealing->first) {
        part.first = dealing->first - begin;
    } else {
        int after = begin - dealing->first;
        part.first = dealing->block - after % dealing->block;
        if (dealing->source >= 0)
            part.source = (dealing->source + 1 + after / dealing->block) % dealing->coords;
    }
    return part;
}
