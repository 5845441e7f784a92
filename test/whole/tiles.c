/* tiles.c - the tile functions on layouts of every kind, on one node and across nodes, compared
 * with the layout and with loops. */
#include "engine/emulated.h"
#include "support/check.h"
#include "whole/support/elements.h"
#include "whole/support/guarded_matrix.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 6, ROWS = 11, COLS = 13, TYPES = 6, MOST = 4, GAP = 2, MOST_BLOCKS = 6 };

static const char *const texts[] = {
    "row",
    "col/f",
    "2d*2",
    "cyclic:2x3",
    "cyclic:3x2@1x2,src=0x1,first=1x1*3/f",
    "cuts:2,7x4@0,5,3,3,1,4",
    "cuts:2,7x4@0,2,1,1,2,0*2/f",
    "cuts:4,4,9x0,6@0,1,1,2x0,0,1@3x2",
    "row@2%5,1",
    "col*6",
};
enum { TEXTS = sizeof texts / sizeof *texts };

static const emulated_options worlds[] = {
    {.host = 1},
    {.host = 1, .seed = 1, .ranks_per_node = 1, .delay_us = 30},
    {.host = 1, .seed = 2, .ranks_per_node = 4},
};
enum { WORLDS = sizeof worlds / sizeof *worlds };

/* The matrix as one rank sees it. */
typedef struct view {
    sct_world *world;
    const char *text;
    int rank, ranks_per_node;
    sct_matrix *matrix;
    const sct_layout *layout;
    sct_type type;
    sct_tile grid;
    int replicas;
} view;

typedef struct setting {
    const char *text;
    const sct_world_options *options;
    sct_type type;
    bool wraps;
} setting;

/* The initial elements of a replica. */
static source source_of(int replica) {
    return (source){100 + (uint64_t)replica, MOST};
}

/* Calls `check` for each tile of each replica. */
typedef void tile_check(const view *v, sct_tile tile, int replica, sct_slice bounds);

static void each_tile(const view *v, tile_check *check) {
    for (int replica = 0; replica < v->replicas; replica++)
        for (int64_t i = 0; i < v->grid.row; i++)
            for (int64_t j = 0; j < v->grid.col; j++) {
                sct_tile tile = {i, j};
                sct_slice bounds;
                CHECK(sct_matrix_tile_bounds(v->matrix, tile, &bounds) == SCT_OK);
                check(v, tile, replica, bounds);
            }
}

static bool is_empty(sct_slice s) {
    return s.rows.lo == s.rows.hi || s.cols.lo == s.cols.hi;
}

/* ---- Looking up ---- */

/* The bounds of the tiles cover 0 to ROWS and COLS without gaps. */
static void check_bounds(const view *v) {
    int64_t row = 0, col = 0;
    for (int64_t i = 0; i < v->grid.row; i++) {
        sct_slice bounds = {{-1, -1}, {-1, -1}};
        CHECK(sct_matrix_tile_bounds(v->matrix, (sct_tile){i, 0}, &bounds) == SCT_OK);
        CHECK(bounds.rows.lo == row && bounds.rows.hi >= row);
        row = bounds.rows.hi;
    }
    for (int64_t j = 0; j < v->grid.col; j++) {
        sct_slice bounds = {{-1, -1}, {-1, -1}};
        CHECK(sct_matrix_tile_bounds(v->matrix, (sct_tile){0, j}, &bounds) == SCT_OK);
        CHECK(bounds.cols.lo == col && bounds.cols.hi >= col);
        col = bounds.cols.hi;
    }
    CHECK_CASE(row == ROWS && col == COLS, "%s: tiles end at (%lld, %lld)", v->text, (long long)row,
               (long long)col);
}

static void check_owner(const view *v, sct_tile tile, int replica, sct_slice bounds) {
    int owner = -1, here = -1, again = -1;
    CHECK(sct_matrix_tile_owner(v->matrix, tile, replica, &owner) == SCT_OK);
    CHECK(is_empty(bounds) ||
          owner == sct_layout_owner(v->layout, replica, bounds.rows.lo, bounds.cols.lo));
    int home = sct_matrix_my_replica(v->matrix);
    CHECK(owner != v->rank || replica == home);
    CHECK(sct_matrix_tile_owner(v->matrix, tile, SCT_HERE, &here) == SCT_OK);
    CHECK(sct_matrix_tile_owner(v->matrix, tile, home, &again) == SCT_OK);
    CHECK(here == again);
}

static bool meet(sct_range x, sct_range y) {
    return x.lo < y.hi && y.lo < x.hi && x.lo < x.hi && y.lo < y.hi;
}

static void check_overlap(const view *v, sct_slice slice) {
    sct_slice tiles = {{-1, -1}, {-1, -1}}, want = {{0, 0}, {0, 0}}, bounds;
    CHECK(sct_matrix_overlapping_tiles(v->matrix, slice, &tiles) == SCT_OK);
    for (int64_t i = v->grid.row - 1; i >= 0; i--) {
        CHECK(sct_matrix_tile_bounds(v->matrix, (sct_tile){i, 0}, &bounds) == SCT_OK);
        if (meet(bounds.rows, slice.rows))
            want.rows = (sct_range){i, want.rows.hi ? want.rows.hi : i + 1};
    }
    for (int64_t j = v->grid.col - 1; j >= 0; j--) {
        CHECK(sct_matrix_tile_bounds(v->matrix, (sct_tile){0, j}, &bounds) == SCT_OK);
        if (meet(bounds.cols, slice.cols))
            want.cols = (sct_range){j, want.cols.hi ? want.cols.hi : j + 1};
    }
    CHECK_CASE(memcmp(&tiles, &want, sizeof want) == 0,
               "%s: [%lld, %lld) x [%lld, %lld) meets other tiles", v->text,
               (long long)slice.rows.lo, (long long)slice.rows.hi, (long long)slice.cols.lo,
               (long long)slice.cols.hi);
}

static void check_overlaps(const view *v) {
    uint64_t state = (uint64_t)v->rank;
    check_overlap(v, (sct_slice){{0, ROWS}, {0, COLS}});
    for (int i = 0; i < 20; i++) {
        int64_t row = check_between(&state, 0, ROWS), col = check_between(&state, 0, COLS);
        check_overlap(v, (sct_slice){{row, check_between(&state, row, ROWS)},
                                     {col, check_between(&state, col, COLS)}});
    }
}

/* ---- Reading ---- */

/* How many elements of a block differ from those of the source in this slice. */
static int differ(const view *v, const sct_block *block, sct_slice bounds, source from) {
    int count = 0;
    for (int64_t i = 0; i < block->rows; i++)
        for (int64_t j = 0; j < block->cols; j++) {
            bool by_rows = block->order == SCT_ROW_MAJOR;
            element is =
                element_get(v->type, block->data, by_rows ? i * block->ld + j : j * block->ld + i);
            element want = source_element(v->type, from, bounds.rows.lo + i, bounds.cols.lo + j);
            count += is.re != want.re || is.im != want.im;
        }
    return count;
}

static void check_tile(const view *v, sct_tile tile, int replica, sct_slice bounds) {
    int owner = -1;
    CHECK(sct_matrix_tile_owner(v->matrix, tile, replica, &owner) == SCT_OK);
    bool near = owner / v->ranks_per_node == v->rank / v->ranks_per_node;
    sct_block block = {.ld = -1};
    sct_status status = sct_matrix_tile(v->matrix, tile, replica, &block);
    CHECK_CASE(status == (near ? SCT_OK : SCT_UNREACHABLE), "%s: rank %d sees rank %d: %s", v->text,
               v->rank, owner, sct_status_name(status));
    if (status) {
        CHECK(block.ld == -1 && strstr(sct_last_reason(), "rank"));
        return;
    }
    CHECK(block.rows == bounds.rows.hi - bounds.rows.lo &&
          block.cols == bounds.cols.hi - bounds.cols.lo &&
          block.order == sct_layout_order(v->layout));
    CHECK_CASE(differ(v, &block, bounds, source_of(replica)) == 0, "%s: tile (%lld, %lld)", v->text,
               (long long)tile.row, (long long)tile.col);
}

/* Memory for a tile, with gaps between its lines, every byte 0x5a. */
static sct_block block_new(const view *v, sct_slice bounds) {
    sct_block block = {.rows = bounds.rows.hi - bounds.rows.lo,
                       .cols = bounds.cols.hi - bounds.cols.lo,
                       .order = sct_layout_order(v->layout)};
    bool by_rows = block.order == SCT_ROW_MAJOR;
    block.ld = (by_rows ? block.cols : block.rows) + GAP;
    size_t bytes =
        (size_t)(block.ld * (by_rows ? block.rows : block.cols) + 1) * sct_type_bytes(v->type);
    block.data = malloc(bytes);
    memset(block.data, 0x5a, bytes);
    return block;
}

static bool gaps_intact(const view *v, const sct_block *block) {
    bool by_rows = block->order == SCT_ROW_MAJOR;
    int64_t lines = by_rows ? block->rows : block->cols, bytes = (int64_t)sct_type_bytes(v->type);
    for (int64_t line = 0; line < lines; line++) {
        const char *end = (char *)block->data + ((line + 1) * block->ld - GAP) * bytes;
        for (int64_t i = 0; i < GAP * bytes; i++)
            if (end[i] != 0x5a)
                return false;
    }
    return true;
}

static void check_get(const view *v, sct_tile tile, int replica, sct_slice bounds) {
    sct_block block = block_new(v, bounds);
    CHECK(sct_matrix_get_tile(v->matrix, tile, replica, &block) == SCT_OK);
    CHECK_CASE(differ(v, &block, bounds, source_of(replica)) == 0 && gaps_intact(v, &block),
               "%s: tile (%lld, %lld) got", v->text, (long long)tile.row, (long long)tile.col);
    free(block.data);
}

/* A rank writes the tiles that it stores, and no others. */
static void check_put(const view *v, sct_tile tile, int replica, sct_slice bounds) {
    int owner = -1;
    sct_block block = block_new(v, bounds), stored = block_new(v, bounds);
    CHECK(sct_matrix_tile_owner(v->matrix, tile, replica, &owner) == SCT_OK);
    sct_status status = SCT_OK;
    if (owner == v->rank) {
        CHECK(sct_matrix_get_tile(v->matrix, tile, replica, &stored) == SCT_OK);
        CHECK(sct_matrix_put_tile(v->matrix, tile, replica, &block) == SCT_OK);
        CHECK(sct_matrix_get_tile(v->matrix, tile, replica, &block) == SCT_OK);
        bool empty = block.rows == 0 || block.cols == 0;
        CHECK(empty || ((unsigned char *)block.data)[0] == 0x5a);
        CHECK(empty || differ(v, &block, bounds, source_of(replica)) > 0);
        status = sct_matrix_put_tile(v->matrix, tile, replica, &stored);
    } else
        CHECK(sct_matrix_put_tile(v->matrix, tile, replica, &block) == SCT_UNREACHABLE);
    CHECK(status == SCT_OK && sct_world_barrier(v->world) == SCT_OK);
    check_get(v, tile, replica, bounds);
    CHECK(sct_world_barrier(v->world) == SCT_OK);
    free(block.data);
    free(stored.data);
}

/* A matrix that wraps the blocks of another has its tiles at the same addresses. */
static void check_blocks(const view *v) {
    sct_block blocks[MOST_BLOCKS], is, want;
    sct_matrix *again;
    int count = -1, rank = -1;
    CHECK(sct_matrix_blocks(v->matrix, 0, NULL, &count) == SCT_OK && count <= MOST_BLOCKS);
    CHECK(sct_matrix_blocks(v->matrix, MOST_BLOCKS, blocks, &count) == SCT_OK);
    if (!CHECK_CASE(sct_matrix_wrap_blocks(v->world, v->type, v->layout, count, blocks, &again) ==
                        SCT_OK,
                    "%s: %s", v->text, sct_last_reason()))
        return;
    for (int64_t t = 0; t < v->grid.row * v->grid.col; t++) {
        sct_tile tile = {t / v->grid.col, t % v->grid.col};
        CHECK(sct_matrix_tile_owner(v->matrix, tile, SCT_HERE, &rank) == SCT_OK);
        if (rank != v->rank)
            continue;
        CHECK(sct_matrix_tile(v->matrix, tile, SCT_HERE, &want) == SCT_OK);
        CHECK(sct_matrix_tile(again, tile, SCT_HERE, &is) == SCT_OK);
        CHECK_CASE(is.data == want.data && is.ld == want.ld, "%s: tile (%lld, %lld) wrapped again",
                   v->text, (long long)tile.row, (long long)tile.col);
    }
    sct_matrix_destroy(again);
}

/* Gets of all tiles of this rank's replica in flight at once, waited for from last to first. */
static void check_many_gets(const view *v) {
    int64_t count = v->grid.row * v->grid.col;
    sct_block *blocks = calloc((size_t)count, sizeof *blocks);
    sct_request *requests = calloc((size_t)count, sizeof *requests);
    sct_slice bounds = {{0, 0}, {0, 0}};
    for (int64_t t = 0; t < count; t++) {
        sct_tile tile = {t / v->grid.col, t % v->grid.col};
        CHECK(sct_matrix_tile_bounds(v->matrix, tile, &bounds) == SCT_OK);
        blocks[t] = block_new(v, bounds);
        CHECK(sct_matrix_get_tile_async(v->matrix, tile, SCT_HERE, &blocks[t], &requests[t]) ==
              SCT_OK);
    }
    for (int64_t t = count - 1; t >= 0; t--) {
        sct_tile tile = {t / v->grid.col, t % v->grid.col};
        CHECK(sct_wait(requests[t]) == SCT_OK);
        CHECK(sct_matrix_tile_bounds(v->matrix, tile, &bounds) == SCT_OK);
        source from = source_of(sct_matrix_my_replica(v->matrix));
        CHECK_CASE(differ(v, &blocks[t], bounds, from) == 0, "%s: tile (%lld, %lld) got at last",
                   v->text, (long long)tile.row, (long long)tile.col);
        free(blocks[t].data);
    }
    free(blocks);
    free(requests);
}

/* ---- Writing ---- */

static void refill(const view *v) {
    CHECK(sct_world_barrier(v->world) == SCT_OK);
    matrix_fill(v->world, v->matrix, source_of(sct_matrix_my_replica(v->matrix)));
    CHECK(sct_world_barrier(v->world) == SCT_OK);
}

/* Adds (rank + 1) - rank i, as all ranks do to every tile of every replica at once. */
static void accumulate(const view *v, sct_tile tile, int replica, sct_slice bounds) {
    sct_block block = block_new(v, bounds);
    bool by_rows = block.order == SCT_ROW_MAJOR;
    int64_t elements = block.ld * (by_rows ? block.rows : block.cols);
    for (int64_t i = 0; i < elements; i++)
        element_put(v->type, block.data, i, (element){v->rank + 1, -v->rank});
    CHECK(sct_matrix_accumulate_tile(v->matrix, tile, replica, &block) == SCT_OK);
    free(block.data);
}

/* The expected value of an element: the sum of these replicas' sources, and a constant. */
typedef struct sum {
    const view *v;
    int first, last; /* of the replicas that are added up */
    element more;
} sum;

static element sum_element(const void *context, int64_t row, int64_t col) {
    const sum *s = context;
    element want = s->more;
    for (int replica = s->first; replica <= s->last; replica++)
        want = element_plus(want, source_element(s->v->type, source_of(replica), row, col));
    return sct_type_complex(s->v->type) ? want : (element){want.re, 0};
}

static void check_sum(const view *v, const char *what, int first, int last, element more) {
    const sum s = {v, first, last, more};
    CHECK(sct_world_barrier(v->world) == SCT_OK);
    int64_t wrong = matrix_count_unlike(v->world, v->matrix, sum_element, &s);
    CHECK_CASE(wrong == 0, "%s: %s: %lld elements of rank %d are wrong", v->text, what,
               (long long)wrong, v->rank);
    refill(v);
}

static void check_accumulate(const view *v) {
    int home = sct_matrix_my_replica(v->matrix);
    each_tile(v, accumulate);
    element more = {RANKS * (RANKS + 1) / 2, -RANKS * (RANKS - 1) / 2};
    check_sum(v, "accumulated", home, home, more);
}

/* Not f16 and bf16, see half_types.c. */
static bool is_added_up(sct_type type) {
    return sct_type_sum(type) == type;
}

static void check_replicas(const view *v) {
    int home = sct_matrix_my_replica(v->matrix);
    for (int origin = 0; origin < v->replicas; origin++) {
        CHECK(sct_matrix_broadcast_replica(v->matrix, origin) == SCT_OK);
        check_sum(v, "broadcast", origin, origin, (element){0, 0});
        if (!is_added_up(v->type))
            continue;
        CHECK(sct_matrix_reduce_replicas(v->matrix, origin) == SCT_OK);
        bool sums = home == origin;
        check_sum(v, "reduced", sums ? 0 : home, sums ? v->replicas - 1 : home, (element){0, 0});
    }
}

/* ---- All checks of one matrix ---- */

static int rank_main(sct_world *world, void *arg) {
    const setting *which = arg;
    view v = {
        .world = world, .text = which->text, .rank = sct_world_rank(world), .type = which->type};
    guarded own = {.bytes = 0};
    sct_layout *layout = layout_of(which->text, ROWS, COLS, RANKS);
    sct_status status = which->wraps ? guarded_create(world, v.type, layout, GAP, &own, &v.matrix)
                                     : sct_matrix_create(world, v.type, layout, &v.matrix);
    if (!CHECK_CASE(status == SCT_OK, "%s: %s", which->text, sct_last_reason()))
        return 1;
    sct_layout_destroy(layout);
    v.ranks_per_node = sct_matrix_ranks_per_node(v.matrix);
    v.layout = sct_matrix_layout(v.matrix);
    v.grid = sct_matrix_grid_shape(v.matrix);
    v.replicas = sct_layout_replicas(v.layout);
    refill(&v);
    check_bounds(&v);
    check_overlaps(&v);
    each_tile(&v, check_owner);
    each_tile(&v, check_tile);
    each_tile(&v, check_get);
    check_many_gets(&v);
    check_blocks(&v);
    CHECK(sct_world_barrier(world) == SCT_OK);
    each_tile(&v, check_put);
    if (is_added_up(v.type))
        check_accumulate(&v);
    check_replicas(&v);
    CHECK(!which->wraps || guarded_intact(&own));
    sct_matrix_destroy(v.matrix);
    guarded_free(&own);
    return 0;
}

int main(void) {
    for (int i = 0; i < TEXTS * WORLDS * 2; i++) {
        emulated_options emulated = worlds[i / TEXTS % WORLDS];
        const sct_world_options options = emulated_world(&emulated);
        setting which = {texts[i % TEXTS], &options, (sct_type)(i % TYPES), i >= TEXTS * WORLDS};
        CHECK(sct_run(RANKS, &options, rank_main, &which) == SCT_OK);
    }
    return check_report("tiles");
}
