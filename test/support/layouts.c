/* layouts.c - see layouts.h. */
#include "support/layouts.h"

#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>

static int below(uint64_t *state, int limit) {
    return (int)check_between(state, 0, limit - 1);
}

static void must(sct_status status) {
    if (!status)
        return;
    fprintf(stderr, "random layout: %s\n", sct_last_reason());
    exit(1);
}

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void make_random_cuts(uint64_t *state, int64_t extent, int coords, random_cuts *made) {
    int blocks = 1 + below(state, MOST_BLOCKS);
    for (int b = 0; b < blocks; b++) {
        made->cuts[b] = check_between(state, 0, extent);
        made->owners[b] = below(state, coords);
    }
    qsort(made->cuts, (size_t)blocks - 1, sizeof *made->cuts, compare);
    made->given = (sct_cuts){blocks, made->cuts, made->owners};
}

static sct_status cyclic(uint64_t *state, int64_t rows, int64_t cols, sct_layout **layout) {
    sct_cyclic dealt = {.size = sizeof dealt,
                        .block_rows = check_between(state, 1, rows + 2),
                        .block_cols = check_between(state, 1, cols + 2),
                        .grid_rows = 1 + below(state, 4),
                        .grid_cols = 1 + below(state, 4)};
    dealt.source_row = below(state, dealt.grid_rows);
    dealt.source_col = below(state, dealt.grid_cols);
    dealt.first_rows = check_between(state, 0, dealt.block_rows);
    dealt.first_cols = check_between(state, 0, dealt.block_cols);
    return sct_layout_create_cyclic(rows, cols, &dealt, layout);
}

static sct_status cuts(uint64_t *state, int64_t rows, int64_t cols, sct_layout **layout) {
    int grid_rows = 1 + below(state, 4), grid_cols = 1 + below(state, 4);
    random_cuts row_cuts, col_cuts;
    make_random_cuts(state, rows, grid_rows, &row_cuts);
    make_random_cuts(state, cols, grid_cols, &col_cuts);
    return sct_layout_create_cuts(rows, cols, grid_rows, grid_cols, &row_cuts.given,
                                  &col_cuts.given, layout);
}

static sct_status tiles(uint64_t *state, int64_t rows, int64_t cols, sct_layout **layout) {
    int ranks = 1 + below(state, 16), owners[MOST_BLOCKS * MOST_BLOCKS];
    random_cuts row_cuts, col_cuts;
    make_random_cuts(state, rows, 1, &row_cuts);
    make_random_cuts(state, cols, 1, &col_cuts);
    for (int64_t t = 0; t < row_cuts.given.blocks * col_cuts.given.blocks; t++)
        owners[t] = below(state, ranks);
    return sct_layout_create_tiles(rows, cols, ranks, &row_cuts.given, &col_cuts.given, owners,
                                   layout);
}

enum kind { ROW, COL, GRID, CYCLIC, CUTS, TILES, KINDS };

static sct_status create(uint64_t *state, enum kind kind, int64_t rows, int64_t cols,
                         sct_layout **layout) {
    static const int primes[] = {1, 2, 3, 5, 7, 11, 13};
    int ranks = primes[below(state, 7)];
    switch (kind) {
    case ROW:
        return sct_layout_create_row(rows, cols, ranks, layout);
    case COL:
        return sct_layout_create_col(rows, cols, ranks, layout);
    case GRID:
        return sct_layout_create_2d(rows, cols, 1 + below(state, 4), 1 + below(state, 4), layout);
    case CYCLIC:
        return cyclic(state, rows, cols, layout);
    case CUTS:
        return cuts(state, rows, cols, layout);
    default:
        return tiles(state, rows, cols, layout);
    }
}

/* Maps the layout's ranks to different ones, in random order, of a world with up to 3 more ranks.
 */
static sct_status map_ranks(uint64_t *state, const sct_layout *layout, sct_layout **mapped) {
    enum { MOST_RANKS = 16 * 3 + 3 };
    int ranks = sct_layout_ranks(layout) + below(state, 4), map[MOST_RANKS];
    for (int r = 0; r < ranks; r++) {
        int other = below(state, r + 1);
        map[r] = map[other];
        map[other] = r;
    }
    return sct_layout_map_ranks(layout, map, mapped);
}

sct_layout *make_random_layout(uint64_t *state, int64_t rows, int64_t cols) {
    enum kind kind = (enum kind)below(state, KINDS);
    sct_layout *base, *copied, *shared, *mapped, *stored;
    must(create(state, kind, rows, cols, &base));
    must(sct_layout_replicate(base, 1 + below(state, 3), &copied));
    must(sct_layout_share(copied, below(state, 2) * below(state, 5), &shared));
    if (kind != TILES && below(state, 3) == 0)
        must(map_ranks(state, shared, &mapped));
    else
        must(sct_layout_store(shared, SCT_ROW_MAJOR, &mapped));
    must(sct_layout_store(mapped, below(state, 2) ? SCT_COL_MAJOR : SCT_ROW_MAJOR, &stored));
    sct_layout_destroy(base);
    sct_layout_destroy(copied);
    sct_layout_destroy(shared);
    sct_layout_destroy(mapped);
    return stored;
}
