/* descriptor.c - fuzzes descriptors of ScaLAPACK. Each is refused with a one-line reason, or
 * becomes a layout in which every element is where ScaLAPACK has it, and which becomes an equal
 * descriptor.
 *
 * An input is the shape of the grid and the entries. */
#include "fuzz/fuzz.h"

#include "scalapack/descriptor.h"
#include "scalapack/program.h"
#include "support/check.h"

#include <sectile/sectile_scalapack.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* MANY: of more tiles, looking at each takes long. */
enum { ENTRIES = 11, MOST_SIDE = 8, SAMPLES = 8, MANY = 10000 };

/* There are no BLACS: each descriptor comes with its grid. */
sct_program *sct_program_of(const void *caller) {
    (void)caller;
    return NULL;
}

sct_status sct_program_grid(const sct_program *program, int context, sct_grid *grid) {
    (void)program;
    (void)context;
    (void)grid;
    return SCT_NO_ENGINE;
}

/* Mostly small. */
static int entry(fuzz_input *input) {
    static const int edges[] = {INT_MAX, INT_MIN, INT_MAX - 1, INT_MAX / 2, 65536, 46341};
    int byte = fuzz_below(input, 256), count = sizeof edges / sizeof *edges;
    return byte < 240 ? byte % 60 - 1 : edges[byte % count];
}

static void check_reason(void) {
    const char *reason = sct_last_reason();
    CHECK(*reason);
    for (; *reason; reason++)
        CHECK_CASE(*reason >= ' ' && *reason <= '~', "byte %d in a reason", *reason);
}

/* The coordinate of the grid that owns an index, and how many before it the same one owns. */
static int owner(const sct_dealing *dealing, int64_t index) {
    int64_t number = index < dealing->first ? 0 : 1 + (index - dealing->first) / dealing->block;
    return (int)((dealing->source + number) % dealing->coords);
}

/* All coordinates together own every index once. */
static void check_dealing(const sct_dealing *dealing) {
    int64_t sum = 0;
    if (dealing->source < 0)
        return;
    for (int coord = 0; coord < dealing->coords; coord++)
        sum += sct_dealing_owned(dealing, coord, dealing->extent);
    CHECK_CASE(sum == dealing->extent, "%lld of %d indices", (long long)sum, dealing->extent);
}

/* A part has its indices where the whole has them. */
static void check_part(const sct_dealing *dealing, int begin, int end) {
    const sct_dealing part = sct_dealing_part(dealing, begin, end - begin);
    for (int coord = 0; coord < dealing->coords; coord++) {
        int owned =
            sct_dealing_owned(dealing, coord, end) - sct_dealing_owned(dealing, coord, begin);
        CHECK_CASE(sct_dealing_owned(&part, coord, part.extent) == owned,
                   "coordinate %d does not own %d of the indices %d to %d", coord, owned, begin,
                   end);
    }
}

static void check_elements(const sct_descriptor *d, const sct_scalapack_grid *grid,
                           const sct_layout *layout) {
    sct_dealing rows = sct_descriptor_rows(d, grid->rows);
    sct_dealing cols = sct_descriptor_cols(d, grid->cols);
    uint64_t random = (uint64_t)d->rows;
    check_dealing(&rows);
    check_dealing(&cols);
    for (int i = 0; i < SAMPLES && d->rows > 0 && d->cols > 0; i++) {
        int64_t row = i ? check_between(&random, 0, d->rows - 1) : d->rows - 1;
        int64_t col = i ? check_between(&random, 0, d->cols - 1) : d->cols - 1;
        int at_row = d->source_row < 0 ? 0 : owner(&rows, row);
        int at_col = d->source_col < 0 ? 0 : owner(&cols, col);
        CHECK_CASE(sct_layout_owner(layout, 0, row, col) == at_row * grid->cols + at_col,
                   "row %lld, column %lld", (long long)row, (long long)col);
        check_part(&rows, (int)row, d->rows);
        check_part(&cols, 0, (int)col + 1);
    }
}

/* A layout whose part is too large for a descriptor is refused. */
static void check_return(const sct_scalapack_grid *grid, const sct_layout *layout) {
    int back[ENTRIES], again[ENTRIES];
    sct_layout *same = NULL;
    if (sct_layout_to_scalapack(layout, grid, 0, 0, 0, back)) {
        check_reason();
        return;
    }
    if (!CHECK(sct_layout_from_scalapack(back, grid, &same) == SCT_OK))
        return;
    CHECK(sct_layout_to_scalapack(same, grid, 0, 0, 0, again) == SCT_OK);
    CHECK(memcmp(back, again, sizeof back) == 0);
    sct_layout_destroy(same);
}

/* At most so many tiles; 0 if the entries are bad. */
static double count_tiles(const int *entries) {
    const sct_descriptor d = sct_descriptor_read(entries);
    if (d.rows < 0 || d.cols < 0 || d.block_rows < 1 || d.block_cols < 1)
        return 0;
    return (2.0 + d.rows / d.block_rows) * (2.0 + d.cols / d.block_cols);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    fuzz_input input = {bytes, length};
    int entries[ENTRIES];
    const sct_scalapack_grid grid = {.size = sizeof grid,
                                     .rows = 1 + fuzz_below(&input, MOST_SIDE),
                                     .cols = 1 + fuzz_below(&input, MOST_SIDE)};
    for (int i = 0; i < ENTRIES; i++)
        entries[i] = i == 0 ? fuzz_below(&input, 4) : entry(&input);
    sct_layout *layout;
    if (count_tiles(entries) > MANY)
        return 0;
    if (sct_layout_from_scalapack(entries, &grid, &layout)) {
        check_reason();
    } else {
        const sct_descriptor d = sct_descriptor_read(entries);
        check_elements(&d, &grid, layout);
        check_return(&grid, layout);
        sct_layout_destroy(layout);
    }
    if (check_failures())
        abort();
    return 0;
}
