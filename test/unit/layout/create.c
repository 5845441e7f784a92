/* create.c - layouts derived from layouts, their lifetimes, equality, and the bytes of their parts;
 * and what is refused. */
#include "layout/layout.h"

#include "support/check.h"

#include <limits.h>
#include <sys/resource.h>

static void test_hold(void) {
    sct_layout *layout;
    CHECK(sct_layout_create_row(8, 8, 2, &layout) == SCT_OK);
    const sct_layout *held = sct_layout_hold(layout);
    sct_layout_destroy(layout);
    CHECK(sct_layout_owner(held, 0, 7, 0) == 1);
    sct_layout_destroy((sct_layout *)held);
    sct_layout_destroy(NULL);
}

/* A derived layout keeps every property that it does not change. */
static void test_derived(const sct_layout *base) {
    static const int map[] = {3, 1, 2, 0};
    sct_layout *stored, *copied, *mapped;
    CHECK(sct_layout_store(base, SCT_COL_MAJOR, &stored) == SCT_OK);
    CHECK(sct_layout_replicate(stored, 2, &copied) == SCT_OK);
    CHECK(sct_layout_map_ranks(copied, map, &mapped) == SCT_OK);
    CHECK(sct_layout_order(base) == SCT_ROW_MAJOR && sct_layout_order(mapped) == SCT_COL_MAJOR);
    CHECK(sct_layout_replicas(base) == 1 && sct_layout_replicas(mapped) == 2);
    CHECK(sct_layout_owner(mapped, 1, 0, 0) == 2 && sct_layout_home(mapped, 3) == 0);
    sct_layout_destroy(stored);
    sct_layout_destroy(copied);
    sct_layout_destroy(mapped);
}

static void check_part(int64_t rows, int64_t cols, sct_type type, sct_status status, size_t size) {
    sct_layout *layout;
    size_t bytes = 1;
    CHECK(sct_layout_create_row(rows, cols, 4, &layout) == SCT_OK);
    CHECK_CASE(sct_layout_bytes(layout, type, 3, &bytes) == status && bytes == size,
               "%lld x %lld %s", (long long)rows, (long long)cols, sct_type_name(type));
    sct_layout_destroy(layout);
}

static void test_sizes(void) {
    const int64_t one = 1;
    check_part(one << 20, one << 20, SCT_F64, SCT_OK, (size_t)1 << 41);
    check_part(one << 31, one << 31, SCT_F32, SCT_OK, (size_t)1 << 62);
    check_part(one << 31, one << 31, SCT_F64, SCT_TOO_LARGE, 1);
    check_part(one << 40, one << 40, SCT_F32, SCT_TOO_LARGE, 1);
    check_part(INT64_MAX, INT64_MAX, SCT_F32, SCT_TOO_LARGE, 1);
    check_part(INT64_MAX, 0, SCT_F32, SCT_OK, 0);
    check_part(8, 8, (sct_type)99, SCT_BAD_ARGUMENT, 1);
}

/* Two tiles on one rank, each of 2^62 bytes. */
static void test_sum_too_large(void) {
    const int64_t edge = (int64_t)1 << 31, cut = edge / 2;
    int owners[] = {0, 0};
    sct_cuts rows = {2, &cut, NULL}, cols = {1, NULL, NULL};
    sct_layout *layout;
    size_t bytes;
    CHECK(sct_layout_create_tiles(edge, cut, 1, &rows, &cols, owners, &layout) == SCT_OK);
    CHECK(sct_layout_bytes(layout, SCT_F32, 0, &bytes) == SCT_TOO_LARGE);
    CHECK(sct_layout_bytes(layout, SCT_F32, -1, &bytes) == SCT_BAD_ARGUMENT);
    sct_layout_destroy(layout);
}

static void test_bad_grids(sct_layout *none) {
    sct_layout *layout = none;
    sct_cyclic cyclic = {.size = sizeof cyclic, .block_rows = 2, .block_cols = 2, .grid_rows = 1};
    CHECK(sct_layout_create_row(8, 8, 0, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_create_col(8, -1, 2, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_create_row(-1, 8, 2, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_create_2d(8, 8, 2, -1, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_create_2d(8, 8, 50000, 50000, &layout) == SCT_TOO_LARGE);
    CHECK(sct_layout_create_cyclic(8, 8, &cyclic, &layout) == SCT_BAD_ARGUMENT);
    CHECK(layout == none);
}

static void test_bad_owners(sct_layout *none) {
    sct_layout *layout = none;
    int64_t cut = 3;
    int owners[] = {0, 2}, tile_owners[] = {0, 1, 2, -1};
    sct_cuts cuts = {2, &cut, owners}, ownerless = {2, &cut, NULL};
    CHECK(sct_layout_create_cuts(8, 8, 3, 2, &cuts, &cuts, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_create_cuts(8, 8, 2, 3, &cuts, &cuts, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_create_cuts(8, 8, 0, 3, &cuts, &cuts, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_create_cuts(8, 8, 3, 3, &cuts, &ownerless, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_create_cuts(8, 2, 3, 3, &cuts, &cuts, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_create_tiles(8, 8, 3, &cuts, &cuts, tile_owners, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_create_tiles(8, 8, 1, &cuts, &cuts, owners, &layout) == SCT_BAD_ARGUMENT);
    CHECK(layout == none);
}

static void test_bad_derived(sct_layout *base) {
    static const int good[] = {5, 0}, twice[] = {1, 1}, negative[] = {0, -1}, last[] = {0, INT_MAX};
    sct_layout *layout = base, *mapped, *copied;
    CHECK(sct_layout_map_ranks(base, good, &mapped) == SCT_OK);
    CHECK(sct_layout_replicate(base, 2, &copied) == SCT_OK);
    CHECK(sct_layout_ranks(mapped) == 6 && sct_layout_owner(mapped, 0, 0, 0) == 5);
    CHECK(sct_layout_cells(mapped, 3) == 0);
    CHECK(sct_layout_map_ranks(base, twice, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_map_ranks(base, negative, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_map_ranks(base, last, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_map_ranks(mapped, good, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_replicate(mapped, 2, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_replicate(copied, 2, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_replicate(base, 0, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_replicate(base, INT_MAX, &layout) == SCT_TOO_LARGE);
    CHECK(sct_layout_store(base, (sct_order)7, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_share(base, -1, &layout) == SCT_BAD_ARGUMENT);
    CHECK(layout == base);
    sct_layout_destroy(mapped);
    sct_layout_destroy(copied);
}

/* A rank map takes memory for the ranks that it names, not for those between. */
static void test_far_map(const sct_layout *base) {
    static const int far[] = {INT_MAX - 1, 5};
    const long most_kib = 2 << 20;
    struct rusage used;
    sct_layout *mapped;
    CHECK(sct_layout_map_ranks(base, far, &mapped) == SCT_OK);
    CHECK(sct_layout_ranks(mapped) == INT_MAX && sct_layout_home(mapped, 5) == 0);
    CHECK(sct_layout_cells(mapped, 5) == 1 && sct_layout_cell(mapped, 5, 0).row == 1);
    CHECK(sct_layout_cell(mapped, INT_MAX - 1, 0).row == 0 && sct_layout_cells(mapped, 6) == 0);
    sct_layout_destroy(mapped);
    CHECK(getrusage(RUSAGE_SELF, &used) == 0 && used.ru_maxrss < most_kib);
}

static void test_equal(const sct_layout *base) {
    static const char *const others[] = {"row@2/f",   "col@2",        "row@1",         "row@2*2",
                                         "row@2%1,0", "cuts:4x-@0,1", "cyclic:3x8@2x1"};
    sct_layout *layout;
    CHECK(sct_layout_parse("row@2", 8, 8, 4, &layout) == SCT_OK);
    CHECK(sct_layout_equal(base, layout));
    sct_layout_destroy(layout);
    CHECK(sct_layout_parse("row@2", 8, 9, 4, &layout) == SCT_OK);
    CHECK(!sct_layout_equal(base, layout));
    sct_layout_destroy(layout);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        CHECK(sct_layout_parse(others[i], 8, 8, 4, &layout) == SCT_OK);
        CHECK_CASE(!sct_layout_equal(base, layout), "%s", others[i]);
        sct_layout_destroy(layout);
    }
}

int main(void) {
    sct_layout *base;
    CHECK(sct_layout_create_row(8, 8, 2, &base) == SCT_OK);
    test_hold();
    test_derived(base);
    test_sizes();
    test_sum_too_large();
    test_bad_grids(base);
    test_bad_owners(base);
    test_far_map(base);
    test_bad_derived(base);
    test_equal(base);
    sct_layout_destroy(base);
    return check_report("create");
}
