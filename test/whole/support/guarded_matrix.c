/* guarded_matrix.c - lays the blocks out in one array, and records which bytes are elements. */
#include "whole/support/guarded_matrix.h"

#include "layout/layout.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, SENTINEL = 0xa5 };

/* Lays out the block of a cell at `next`, with guard bytes before and after, and advances `next`.
 */
static sct_block lay(const sct_layout *layout, sct_type type, sct_cell cell, int64_t gap,
                     guarded *own, size_t *next) {
    size_t bytes = sct_type_bytes(type);
    int64_t lines = sct_layout_lines(layout, cell), size = sct_layout_line_size(layout, cell);
    size_t pitch = (size_t)(size + gap) * bytes;
    *next += GUARD;
    for (int64_t line = 0; own->used && line < lines; line++)
        memset(own->used + *next + (size_t)line * pitch, 1, (size_t)size * bytes);
    sct_block block = {.data = own->memory ? own->memory + *next : NULL,
                       .ld = size + gap,
                       .rows = sct_axis_class_size(&layout->rows, cell.row),
                       .cols = sct_axis_class_size(&layout->cols, cell.col),
                       .order = layout->order};
    *next += (size_t)lines * pitch + GUARD;
    return block;
}

static size_t lay_all(const sct_layout *layout, sct_type type, int rank, int64_t gap, guarded *own,
                      sct_block *blocks) {
    size_t next = 0;
    for (int i = 0; i < sct_layout_cells(layout, rank); i++)
        blocks[i] = lay(layout, type, sct_layout_cell(layout, rank, i), gap, own, &next);
    return next;
}

sct_status guarded_create(sct_world *world, sct_type type, const sct_layout *layout, int64_t gap,
                          guarded *own, sct_matrix **matrix) {
    int rank = sct_world_rank(world), cells = sct_layout_cells(layout, rank);
    sct_block *blocks = calloc((size_t)cells + 1, sizeof *blocks);
    *own = (guarded){.bytes = 0};
    own->bytes = lay_all(layout, type, rank, gap, own, blocks);
    own->memory = malloc(own->bytes + 1);
    own->used = calloc(own->bytes + 1, 1);
    memset(own->memory, SENTINEL, own->bytes);
    lay_all(layout, type, rank, gap, own, blocks);
    sct_status status =
        layout->owner_of
            ? sct_matrix_wrap_blocks(world, type, layout, cells, blocks, matrix)
            : sct_matrix_wrap(world, type, layout, blocks[0].data, blocks[0].ld, matrix);
    free(blocks);
    return status;
}

bool guarded_intact(const guarded *own) {
    for (size_t i = 0; i < own->bytes; i++)
        if (!own->used[i] && (unsigned char)own->memory[i] != SENTINEL)
            return false;
    return true;
}

void guarded_free(guarded *own) {
    free(own->memory);
    free(own->used);
    *own = (guarded){.bytes = 0};
}
