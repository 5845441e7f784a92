/* layout.c - every element of every replica has one slot on one rank, all slots are used, and
 * owners are those that the documentation and ScaLAPACK's formulas give. */
#include "layout/layout.h"

#include "support/check.h"
#include "support/layouts.h"

#include <stdlib.h>

enum { CASES = 600 };

/* ---- Coverage ---- */

/* The first slot of each rank, if the slots of all ranks are numbered one rank after another. */
static size_t *number_slots(const sct_layout *layout) {
    int ranks = sct_layout_ranks(layout);
    size_t *first = calloc((size_t)ranks + 1, sizeof *first);
    for (int r = 0; r < ranks; r++) {
        size_t bytes = 0;
        CHECK(sct_layout_bytes(layout, SCT_F32, r, &bytes) == SCT_OK);
        first[r + 1] = first[r] + bytes / 4;
    }
    return first;
}

static size_t cell_size(const sct_layout *layout, sct_cell cell) {
    return (size_t)(sct_layout_lines(layout, cell) * sct_layout_line_size(layout, cell));
}

static sct_cell cell_at(const sct_layout *layout, int64_t row, int64_t col) {
    return (sct_cell){sct_axis_owner(&layout->rows, sct_axis_block(&layout->rows, row)),
                      sct_axis_owner(&layout->cols, sct_axis_block(&layout->cols, col))};
}

/* The offset of an element in its cell's storage. */
static size_t offset_at(const sct_layout *layout, sct_cell cell, int64_t row, int64_t col) {
    int64_t y = sct_axis_below(&layout->rows, cell.row, row);
    int64_t x = sct_axis_below(&layout->cols, cell.col, col);
    bool by_rows = sct_layout_order(layout) == SCT_ROW_MAJOR;
    int64_t line = by_rows ? y : x, offset = by_rows ? x : y;
    CHECK(line < sct_layout_lines(layout, cell) && offset < sct_layout_line_size(layout, cell));
    return (size_t)(line * sct_layout_line_size(layout, cell) + offset);
}

static bool same_position(sct_position x, sct_position y) {
    return x.row == y.row && x.col == y.col;
}

/* An element has a local row and column in its owner's part, and in no other of that rank. */
static void check_position(const sct_layout *layout, sct_place place, sct_cell cell,
                           sct_position at) {
    for (int part = 0; part < sct_layout_parts(layout, place.rank); part++) {
        sct_position size = sct_layout_part(layout, place.rank, part);
        sct_position local = sct_layout_to_local(layout, place.rank, part, at);
        bool inside = local.row >= 0 && local.col >= 0;
        CHECK(inside == (part == place.block) && local.row < size.row && local.col < size.col);
        if (!inside)
            continue;
        CHECK(same_position(sct_layout_to_global(layout, place.rank, part, local), at));
        CHECK(local.row == sct_axis_below(&layout->rows, cell.row, at.row));
        CHECK(local.col == sct_axis_below(&layout->cols, cell.col, at.col));
    }
}

/* Where there is no element, there is no index. */
static void check_outside(const sct_layout *layout) {
    const sct_position none = {-1, -1}, nothing = {0, 0}, first = {0, 0},
                       beyond = {sct_layout_rows(layout), sct_layout_cols(layout)};
    int ranks = sct_layout_ranks(layout);
    for (int rank = -1; rank <= ranks; rank++) {
        int parts = sct_layout_parts(layout, rank);
        CHECK(parts == (rank < 0 || rank == ranks ? 0 : sct_layout_cells(layout, rank)));
        CHECK(same_position(sct_layout_part(layout, rank, parts), nothing));
        CHECK(same_position(sct_layout_to_global(layout, rank, -1, first), none));
        CHECK(same_position(sct_layout_to_local(layout, rank, parts, first), none));
        for (int part = 0; part < parts; part++) {
            sct_position size = sct_layout_part(layout, rank, part);
            CHECK(same_position(sct_layout_to_global(layout, rank, part, size), none));
            CHECK(same_position(sct_layout_to_global(layout, rank, part, none), none));
            CHECK(same_position(sct_layout_to_local(layout, rank, part, beyond), none));
            CHECK(same_position(sct_layout_to_local(layout, rank, part, none), none));
        }
    }
}

/* The slot of an element, numbered over all ranks. */
static size_t slot_at(const sct_layout *layout, const size_t *first, int replica, int64_t row,
                      int64_t col) {
    sct_cell cell = cell_at(layout, row, col);
    sct_place place = sct_layout_place(layout, replica, cell);
    CHECK(place.rank == sct_layout_owner(layout, replica, row, col));
    CHECK(sct_layout_home(layout, place.rank) == replica);
    CHECK(place.block < sct_layout_cells(layout, place.rank));
    check_position(layout, place, cell, (sct_position){row, col});
    size_t slot = first[place.rank] + offset_at(layout, cell, row, col);
    for (int block = 0; block < place.block; block++)
        slot += cell_size(layout, sct_layout_cell(layout, place.rank, block));
    CHECK(slot < first[place.rank + 1]);
    return slot;
}

static void check_slots(const sct_layout *layout) {
    size_t *first = number_slots(layout), total = first[sct_layout_ranks(layout)], most = 0;
    uint64_t largest = 0;
    for (int rank = 0; rank < sct_layout_ranks(layout); rank++)
        most = first[rank + 1] - first[rank] > most ? first[rank + 1] - first[rank] : most;
    CHECK(sct_layout_largest_part(layout, SCT_F32, &largest) == SCT_OK && largest == 4 * most);
    int64_t rows = sct_layout_rows(layout), cols = sct_layout_cols(layout);
    bool *used = calloc(total + 1, sizeof *used);
    CHECK(total == (size_t)(rows * cols) * (size_t)sct_layout_replicas(layout));
    for (int replica = 0; replica < sct_layout_replicas(layout); replica++)
        for (int64_t row = 0; row < rows; row++)
            for (int64_t col = 0; col < cols; col++) {
                size_t slot = slot_at(layout, first, replica, row, col);
                CHECK(slot < total && !used[slot]);
                used[slot < total ? slot : total] = true;
            }
    free(used);
    free(first);
}

/* ---- Cells and places ---- */

static bool same_cell(sct_cell a, sct_cell b) {
    return a.row == b.row && a.col == b.col;
}

static void check_cells(const sct_layout *layout) {
    for (int rank = 0; rank < sct_layout_ranks(layout) + 3; rank++)
        for (int block = 0; block < sct_layout_cells(layout, rank); block++) {
            sct_cell cell = sct_layout_cell(layout, rank, block);
            sct_place place = sct_layout_place(layout, sct_layout_home(layout, rank), cell);
            CHECK(place.rank == rank && place.block == block);
        }
}

static void check_places(const sct_layout *layout) {
    for (int replica = 0; replica < layout->replicas; replica++)
        for (sct_cell cell = {0, 0}; cell.row < layout->rows.coords; cell.row++)
            for (cell.col = 0; cell.col < layout->cols.coords; cell.col++) {
                sct_place place = sct_layout_place(layout, replica, cell);
                CHECK(0 <= place.rank && place.rank < sct_layout_ranks(layout));
                CHECK(same_cell(sct_layout_cell(layout, place.rank, place.block), cell));
            }
}

static void check_homes(const sct_layout *layout) {
    int ranks = sct_layout_ranks(layout), replicas = sct_layout_replicas(layout);
    for (int rank = 0; rank < ranks; rank++)
        if (!layout->rank_of)
            CHECK(sct_layout_home(layout, rank) == rank * replicas / ranks);
    for (int rank = ranks; rank < ranks + 4; rank++) {
        size_t bytes = 1;
        int home = sct_layout_home(layout, rank);
        CHECK(0 <= home && home < replicas);
        CHECK(sct_layout_cells(layout, rank) == 0);
        CHECK(sct_layout_bytes(layout, SCT_CF64, rank, &bytes) == SCT_OK && bytes == 0);
    }
}

static void test_random(uint64_t *state) {
    for (int i = 0; i < CASES; i++) {
        int64_t rows = check_between(state, 0, check_between(state, 0, 30));
        int64_t cols = check_between(state, 0, check_between(state, 0, 30));
        sct_layout *layout = make_random_layout(state, rows, cols);
        CHECK(sct_layout_rows(layout) == rows && sct_layout_cols(layout) == cols);
        check_slots(layout);
        check_cells(layout);
        check_places(layout);
        check_outside(layout);
        check_homes(layout);
        sct_layout_destroy(layout);
    }
}

/* ---- Owners by independent formulas ---- */

/* ScaLAPACK's tool functions, for indices from 1: the owner of an index, its local index, and how
 * many of n indices a process owns. */
static int64_t indxg2p(int64_t index, int64_t nb, int64_t source, int64_t procs) {
    return (source + (index - 1) / nb) % procs;
}

static int64_t indxg2l(int64_t index, int64_t nb, int64_t procs) {
    return nb * ((index - 1) / (nb * procs)) + (index - 1) % nb + 1;
}

static int64_t numroc(int64_t n, int64_t nb, int64_t proc, int64_t source, int64_t procs) {
    int64_t distance = (procs + proc - source) % procs, blocks = n / nb;
    int64_t count = blocks / procs * nb, extra = blocks % procs;
    if (distance < extra)
        return count + nb;
    return distance == extra ? count + n % nb : count;
}

/* A short first block is a full one whose first indices are missing. */
static void check_as_scalapack(const sct_axis *axis) {
    int64_t missing = axis->block - axis->first;
    for (int64_t i = 0; i < axis->extent; i++) {
        int64_t owner = indxg2p(i + missing + 1, axis->block, axis->source, axis->coords);
        int64_t local = indxg2l(i + missing + 1, axis->block, axis->coords) - 1;
        CHECK(sct_axis_owner(axis, sct_axis_block(axis, i)) == owner);
        CHECK(sct_axis_below(axis, (int)owner, i) == local - (owner == axis->source ? missing : 0));
    }
    for (int coord = 0; coord < axis->coords; coord++)
        CHECK(sct_axis_class_size(axis, coord) ==
              numroc(axis->extent + missing, axis->block, coord, axis->source, axis->coords) -
                  (coord == axis->source ? missing : 0));
}

static void test_cyclic(uint64_t *state) {
    for (int i = 0; i < CASES; i++) {
        sct_cyclic cyclic = {.size = sizeof cyclic,
                             .block_rows = check_between(state, 1, 12),
                             .block_cols = check_between(state, 1, 12),
                             .grid_rows = (int)check_between(state, 1, 5),
                             .grid_cols = (int)check_between(state, 1, 5)};
        cyclic.first_rows = check_between(state, 0, cyclic.block_rows);
        cyclic.first_cols = check_between(state, 0, cyclic.block_cols);
        cyclic.source_row = (int)check_between(state, 0, cyclic.grid_rows - 1);
        cyclic.source_col = (int)check_between(state, 0, cyclic.grid_cols - 1);
        sct_layout *layout;
        CHECK(sct_layout_create_cyclic(check_between(state, 0, 70), check_between(state, 0, 70),
                                       &cyclic, &layout) == SCT_OK);
        check_as_scalapack(&layout->rows);
        check_as_scalapack(&layout->cols);
        sct_layout_destroy(layout);
    }
}

/* Blocks of ceil(extent / grid), ranks in row-major order, one replica after another; and the same
 * ranks through a map that reverses them. */
static void check_2d(int64_t rows, int64_t cols, int grid_rows, int grid_cols, int copies) {
    int each = grid_rows * grid_cols, map[64];
    sct_layout *base, *copied, *turned;
    for (int i = 0; i < each * copies; i++)
        map[i] = each * copies - 1 - i;
    CHECK(sct_layout_create_2d(rows, cols, grid_rows, grid_cols, &base) == SCT_OK);
    CHECK(sct_layout_replicate(base, copies, &copied) == SCT_OK);
    CHECK(sct_layout_map_ranks(copied, map, &turned) == SCT_OK);
    int64_t high = (rows + grid_rows - 1) / grid_rows, wide = (cols + grid_cols - 1) / grid_cols;
    for (int replica = 0; replica < copies; replica++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < cols; j++) {
                int position = replica * each + (int)(i / high) * grid_cols + (int)(j / wide);
                CHECK(sct_layout_owner(copied, replica, i, j) == position);
                CHECK(sct_layout_owner(turned, replica, i, j) == map[position]);
            }
    sct_layout_destroy(base);
    sct_layout_destroy(copied);
    sct_layout_destroy(turned);
}

static void test_owners(void) {
    static const int64_t edges[] = {0, 1, 2, 5, 13, 24};
    for (int i = 0; i < 36; i++)
        for (int grid_rows = 1; grid_rows <= 4; grid_rows++)
            for (int grid_cols = 1; grid_cols <= 5; grid_cols++)
                check_2d(edges[i / 6], edges[i % 6], grid_rows, grid_cols, 1 + i % 3);
}

/* 4 x 6, cut into rows 0-1 and 1-4 and columns 0-2 and 2-6: with owners by grid coordinates, and
 * with a rank for each tile. */
static void test_cuts(void) {
    int64_t row_cut = 1, col_cut = 2;
    int row_owners[] = {1, 0}, col_owners[] = {0, 2}, tile_owners[] = {4, 0, 4, 2};
    sct_cuts rows = {2, &row_cut, row_owners}, cols = {2, &col_cut, col_owners};
    sct_layout *grid, *tiles;
    CHECK(sct_layout_create_cuts(4, 6, 2, 3, &rows, &cols, &grid) == SCT_OK);
    CHECK(sct_layout_create_tiles(4, 6, 6, &rows, &cols, tile_owners, &tiles) == SCT_OK);
    for (int64_t i = 0; i < 4; i++)
        for (int64_t j = 0; j < 6; j++) {
            int y = i >= row_cut, x = j >= col_cut;
            CHECK(sct_layout_owner(grid, 0, i, j) == row_owners[y] * 3 + col_owners[x]);
            CHECK(sct_layout_owner(tiles, 0, i, j) == tile_owners[y * 2 + x]);
        }
    CHECK(sct_layout_ranks(grid) == 6 && sct_layout_ranks(tiles) == 6);
    CHECK(sct_layout_cells(tiles, 4) == 2 && sct_layout_cells(tiles, 5) == 0);
    CHECK(same_cell(sct_layout_cell(tiles, 4, 1), (sct_cell){1, 0}));
    sct_layout_destroy(grid);
    sct_layout_destroy(tiles);
}

static void check_tile(const sct_layout *layout, int64_t row, int64_t col, sct_slice wanted) {
    sct_slice tile = sct_layout_tile(layout, row, col);
    CHECK_CASE(tile.rows.lo == wanted.rows.lo && tile.rows.hi == wanted.rows.hi &&
                   tile.cols.lo == wanted.cols.lo && tile.cols.hi == wanted.cols.hi,
               "tile of (%lld, %lld): %lld-%lld by %lld-%lld", (long long)row, (long long)col,
               (long long)tile.rows.lo, (long long)tile.rows.hi, (long long)tile.cols.lo,
               (long long)tile.cols.hi);
}

/* Cyclic blocks with a short one at either end; cuts with an empty block between them. */
static void test_tiles(void) {
    int64_t row_cuts[] = {3, 3};
    int owners[] = {0, 1, 2};
    sct_cuts rows = {3, row_cuts, NULL}, cols = {1, NULL, NULL};
    sct_cyclic cyclic = {.size = sizeof cyclic,
                         .block_rows = 4,
                         .block_cols = 3,
                         .grid_rows = 2,
                         .grid_cols = 2,
                         .first_rows = 1,
                         .first_cols = 2};
    sct_layout *blocks, *cut;
    CHECK(sct_layout_create_cyclic(10, 7, &cyclic, &blocks) == SCT_OK);
    CHECK(sct_layout_create_tiles(8, 5, 3, &rows, &cols, owners, &cut) == SCT_OK);
    check_tile(blocks, 0, 0, (sct_slice){{0, 1}, {0, 2}});
    check_tile(blocks, 1, 4, (sct_slice){{1, 5}, {2, 5}});
    check_tile(blocks, 9, 6, (sct_slice){{9, 10}, {5, 7}});
    check_tile(cut, 2, 4, (sct_slice){{0, 3}, {0, 5}});
    check_tile(cut, 3, 0, (sct_slice){{3, 8}, {0, 5}});
    sct_layout_destroy(blocks);
    sct_layout_destroy(cut);
}

static void test_squarest(void) {
    for (int ranks = 1; ranks <= 200; ranks++) {
        int rows, cols;
        sct_layout_squarest(ranks, &rows, &cols);
        CHECK(rows * cols == ranks && rows <= cols);
        for (int r = rows + 1; r * r <= ranks; r++)
            CHECK(ranks % r != 0);
    }
}

int main(void) {
    uint64_t state = check_seed(1);
    test_random(&state);
    test_cyclic(&state);
    test_owners();
    test_cuts();
    test_tiles();
    test_squarest();
    return check_report("layout");
}
