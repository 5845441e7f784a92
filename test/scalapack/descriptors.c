/* descriptors.c - descriptors become layouts in which each element is where ScaLAPACK has it, and
 * become descriptors again. Needs neither processes nor ScaLAPACK. */
#include "support/check.h"

#include <sectile/sectile_scalapack.h>

#include <stdlib.h>
#include <string.h>

enum { MOST = 24 };

static int owner(int i, int first, int block, int source, int coords) {
    int number = i < first ? 0 : 1 + (i - first) / block;
    return (source + number) % coords;
}

static void check_elements(const int d[11], const sct_scalapack_grid *grid,
                           const sct_layout *layout) {
    bool all_rows = d[8] < 0, all_cols = d[9] < 0;
    int replicas = (all_rows ? grid->rows : 1) * (all_cols ? grid->cols : 1);
    CHECK(sct_layout_order(layout) == SCT_COL_MAJOR);
    if (!CHECK(sct_layout_replicas(layout) == replicas))
        return;
    for (int r = 0; r < replicas; r++)
        for (int i = 0; i < d[2]; i++)
            for (int j = 0; j < d[3]; j++) {
                int row = all_rows ? (all_cols ? r / grid->cols : r)
                                   : owner(i, d[4], d[6], d[8], grid->rows);
                int col = all_cols ? r % grid->cols : owner(j, d[5], d[7], d[9], grid->cols);
                CHECK(sct_layout_owner(layout, r, i, j) == grid->ranks[row * grid->cols + col]);
            }
}

static void check_return(const sct_layout *layout, const sct_scalapack_grid *grid) {
    int back[11], again[11];
    sct_layout *same = NULL;
    if (!CHECK(sct_layout_to_scalapack(layout, grid, 5, grid->ranks[0], 0, back) == SCT_OK))
        return;
    CHECK(back[0] == 2 && back[1] == 5 && back[10] >= 1);
    CHECK(sct_layout_from_scalapack(back, grid, &same) == SCT_OK);
    CHECK(sct_layout_to_scalapack(same, grid, 5, grid->ranks[0], 0, again) == SCT_OK);
    CHECK(memcmp(back, again, sizeof back) == 0);
    for (int64_t i = 0; i < sct_layout_rows(layout); i++)
        for (int64_t j = 0; j < sct_layout_cols(layout); j++)
            CHECK(sct_layout_owner(layout, 0, i, j) == sct_layout_owner(same, 0, i, j));
    CHECK(sct_layout_to_scalapack(layout, grid, 5, grid->ranks[0], 77, back) == SCT_OK);
    CHECK(back[10] == 77);
    CHECK(sct_layout_to_scalapack(layout, grid, 5, 1000, 0, back) == SCT_OK);
    CHECK(back[10] == 1);
    sct_layout_destroy(same);
}

static void try_random(uint64_t *random) {
    int ranks[12], d[11] = {2, 0};
    sct_scalapack_grid grid = {sizeof grid, (int)check_between(random, 1, 3),
                               (int)check_between(random, 1, 4), ranks};
    int size = grid.rows * grid.cols, step = size == 6 ? 3 : 1;
    int shift = (int)check_between(random, 0, size);
    for (int i = 0; i < size; i++)
        ranks[i] = (i * step + shift) % (size + 1);
    for (int i = 2; i < 8; i++)
        d[i] = (int)check_between(random, i > 3, i > 3 ? 9 : MOST);
    d[8] = (int)check_between(random, -1, grid.rows - 1);
    d[9] = (int)check_between(random, -1, grid.cols - 1);
    d[10] = MOST;
    sct_layout *layout = NULL;
    if (!CHECK(sct_layout_from_scalapack(d, &grid, &layout) == SCT_OK))
        return;
    check_elements(d, &grid, layout);
    check_return(layout, &grid);
    sct_layout_destroy(layout);
}

static void check_errors(void) {
    const int good[9] = {1, 0, 10, 10, 2, 2, 0, 0, 10};
    const int replicated[9] = {1, 0, 10, 10, 2, 2, -1, -1, 10};
    static const struct {
        int entry, value;
        const char *reason;
    } bad[] = {{0, 501, "kind 501"},
               {2, -1, "no matrix of -1 x 10"},
               {4, 0, "a block is empty"},
               {6, 2, "source (2, 0)"},
               {7, -2, "source (0, -2)"}};
    const sct_scalapack_grid grid = {sizeof grid, 2, 2, NULL}, none = {sizeof none, 0, 2, NULL};
    const sct_scalapack_grid huge = {sizeof huge, 1 << 16, 1 << 16, NULL}, old = {8, 2, 2, NULL};
    sct_layout *layout = NULL, *by_rows, *elsewhere, *tall;
    int back[11] = {-7};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int d[9];
        memcpy(d, good, sizeof d);
        d[bad[i].entry] = bad[i].value;
        CHECK(sct_layout_from_scalapack(d, &grid, &layout) == SCT_BAD_ARGUMENT);
        CHECK_CASE(strstr(sct_last_reason(), bad[i].reason), "%s", sct_last_reason());
    }
    CHECK(sct_layout_from_scalapack(good, &none, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_from_scalapack(replicated, &huge, &layout) == SCT_TOO_LARGE);
    CHECK_CASE(strstr(sct_last_reason(), "a grid of 65536x65536"), "%s", sct_last_reason());
    CHECK(sct_layout_from_scalapack(NULL, &grid, &layout) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_from_scalapack(good, &old, &layout) == SCT_BAD_ARGUMENT);
    CHECK_CASE(strstr(sct_last_reason(), "the grid has 8 bytes"), "%s", sct_last_reason());
    CHECK(sct_layout_from_scalapack(good, NULL, &layout) == SCT_NO_ENGINE);
    CHECK_CASE(strstr(sct_last_reason(), "no Cblacs_gridinfo"), "%s", sct_last_reason());
    CHECK(!layout);
    CHECK(sct_layout_create_row(10, 10, 4, &by_rows) == SCT_OK);
    CHECK(sct_layout_parse("row/f", 10, 10, 3, &elsewhere) == SCT_OK);
    CHECK(sct_layout_to_scalapack(by_rows, &grid, 0, 0, 0, back) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_to_scalapack(elsewhere, &grid, 0, 0, 0, back) == SCT_BAD_ARGUMENT);
    CHECK(sct_layout_create_row((int64_t)1 << 31, 10, 4, &tall) == SCT_OK);
    CHECK(sct_layout_to_scalapack(tall, &grid, 0, 0, 0, back) == SCT_TOO_LARGE);
    CHECK(sct_layout_to_scalapack(NULL, &grid, 0, 0, 0, back) == SCT_BAD_ARGUMENT);
    CHECK(back[0] == -7);
    sct_layout_destroy(tall);
    sct_layout_destroy(by_rows);
    sct_layout_destroy(elsewhere);
}

int main(void) {
    uint64_t random = check_seed(1);
    for (int i = 0; i < 300; i++)
        try_random(&random);
    check_errors();
    return check_report("descriptors");
}
