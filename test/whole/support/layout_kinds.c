/* layout_kinds.c - writes layout texts part by part: base, copies, rank map, storage order. */
#include "whole/support/layout_kinds.h"

#include "support/check.h"
#include "whole/support/text.h"

#include <stdlib.h>

enum { MOST_CUTS = 5, MOST_RANKS = 64 };

typedef struct writer {
    text text;
    const layout_spec *spec;
    uint64_t *random;
    int ranks;      /* of one copy */
    int rows, cols; /* of the grid */
} writer;

static int below(writer *w, int64_t limit) {
    return (int)check_between(w->random, 0, limit - 1);
}

/* A random grid of at most that many ranks. */
static void choose_grid(writer *w) {
    int one = 1 + below(w, w->ranks), other = 1 + below(w, w->ranks / one);
    bool turn = below(w, 2);
    w->rows = turn ? other : one;
    w->cols = turn ? one : other;
}

/* A layout on a row or column of ranks. */
static void add_line(writer *w, const char *base, int ranks) {
    w->rows = ranks;
    w->cols = 1;
    text_add(&w->text, "%s@%d", base, ranks);
}

static int all_but_one(const writer *w) {
    return w->ranks > 1 ? w->ranks - 1 : 1;
}

static void add_row(writer *w) {
    text_add(&w->text, "row");
}

static void add_col(writer *w) {
    text_add(&w->text, "col");
}

static void add_one(writer *w) {
    add_line(w, "row", 1);
}

static void add_fewer_rows(writer *w) {
    add_line(w, "row", all_but_one(w));
}

static void add_fewer_cols(writer *w) {
    add_line(w, "col", all_but_one(w));
}

static void add_square(writer *w) {
    text_add(&w->text, "2d");
}

static void add_any_2d(writer *w) {
    choose_grid(w);
    text_add(&w->text, "2d:%dx%d", w->rows, w->cols);
}

static void add_cyclic(writer *w) {
    int block_rows = 1 + below(w, 3), block_cols = 1 + below(w, 3);
    text_add(&w->text, "cyclic:%dx%d", block_rows, block_cols);
}

static void add_gridded_cyclic(writer *w) {
    choose_grid(w);
    add_cyclic(w);
    text_add(&w->text, "@%dx%d", w->rows, w->cols);
}

static void add_large_cyclic(writer *w) {
    choose_grid(w);
    int block_rows = 1 + below(w, w->spec->rows + 2), block_cols = 1 + below(w, w->spec->cols + 2);
    text_add(&w->text, "cyclic:%dx%d@%dx%d", block_rows, block_cols, w->rows, w->cols);
}

static void add_source_cyclic(writer *w) {
    choose_grid(w);
    int block_rows = 1 + below(w, 4), block_cols = 1 + below(w, 4);
    int source_row = below(w, w->rows), source_col = below(w, w->cols);
    int first_rows = below(w, block_rows + 1), first_cols = below(w, block_cols + 1);
    text_add(&w->text, "cyclic:%dx%d@%dx%d,src=%dx%d,first=%dx%d", block_rows, block_cols, w->rows,
             w->cols, source_row, source_col, first_rows, first_cols);
}

static void add_numbers(writer *w, const int *numbers, int count) {
    for (int i = 0; i < count; i++)
        text_add(&w->text, "%s%d", i ? "," : "", numbers[i]);
}

static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Returns the number of blocks. */
static int add_axis_cuts(writer *w, int64_t extent) {
    int cuts = below(w, MOST_CUTS), at[MOST_CUTS];
    for (int i = 0; i < cuts; i++)
        at[i] = below(w, extent + 1);
    qsort(at, (size_t)cuts, sizeof *at, compare);
    add_numbers(w, at, cuts);
    text_add(&w->text, cuts ? "" : "-");
    return cuts + 1;
}

static void add_owners(writer *w, int blocks, int owners) {
    int owner[MOST_CUTS * MOST_CUTS];
    for (int i = 0; i < blocks; i++)
        owner[i] = below(w, owners);
    add_numbers(w, owner, blocks);
}

static void add_both_cuts(writer *w, int blocks[2]) {
    text_add(&w->text, "cuts:");
    blocks[0] = add_axis_cuts(w, w->spec->rows);
    text_add(&w->text, "x");
    blocks[1] = add_axis_cuts(w, w->spec->cols);
    text_add(&w->text, "@");
}

static void add_cuts(writer *w) {
    int blocks[2];
    choose_grid(w);
    add_both_cuts(w, blocks);
    add_owners(w, blocks[0], w->rows);
    text_add(&w->text, "x");
    add_owners(w, blocks[1], w->cols);
    text_add(&w->text, "@%dx%d", w->rows, w->cols);
}

static void add_tiles(writer *w) {
    int blocks[2];
    add_both_cuts(w, blocks);
    add_owners(w, blocks[0] * blocks[1], w->ranks);
    text_add(&w->text, "@%d", w->ranks);
}

typedef void base_writer(writer *w);

static base_writer *const bases[KINDS] = {
    [KIND_ROW] = add_row,
    [KIND_COL] = add_col,
    [KIND_2D] = add_square,
    [KIND_CYCLIC] = add_cyclic,
    [KIND_CYCLIC_SOURCE] = add_source_cyclic,
    [KIND_CYCLIC_LARGE] = add_large_cyclic,
    [KIND_CUTS] = add_cuts,
    [KIND_TILES] = add_tiles,
    [KIND_ONE] = add_one,
    [KIND_FEWER] = add_fewer_rows,
    [KIND_2D_MAPPED] = add_any_2d,
    [KIND_CYCLIC_MAPPED] = add_gridded_cyclic,
    [KIND_COL_MAPPED] = add_fewer_cols,
    [KIND_CUTS_MAPPED] = add_cuts,
};

/* Distinct ranks of the world in random order. */
static void add_map(writer *w) {
    int rank[MOST_RANKS];
    for (int r = 0; r < w->spec->ranks; r++) {
        int other = below(w, r + 1);
        rank[r] = rank[other];
        rank[other] = r;
    }
    text_add(&w->text, "%%");
    add_numbers(w, rank, w->rows * w->cols * w->spec->copies);
}

void layout_spec_text(const layout_spec *spec, uint64_t *random, char *to, size_t bytes) {
    writer w = {{to, bytes}, spec, random, spec->ranks / spec->copies, 1, 1};
    to[0] = '\0';
    bases[spec->kind](&w);
    if (spec->copies > 1)
        text_add(&w.text, "*%d", spec->copies);
    if (spec->kind >= KIND_2D_MAPPED)
        add_map(&w);
    if (spec->by_cols)
        text_add(&w.text, "/f");
}

/* Kinds that use all ranks need the number of copies to divide them. */
int layout_kind_copies(layout_kind kind, int ranks, int level) {
    const int wanted[KIND_COPIES] = {1, 2, 3, ranks / 2, ranks};
    int copies = wanted[level] < 1 ? 1 : wanted[level];
    if (kind <= KIND_CYCLIC)
        while (copies < ranks && ranks % copies)
            copies++;
    return copies < ranks ? copies : ranks;
}
