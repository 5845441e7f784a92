/* layout.c - fuzzes layout texts. Each is refused with a one-line reason, or describes a layout
 * that prints to an equal one, in which every element has one place and all bytes are elements.
 *
 * An input is a byte each for rows, columns and ranks, then the text. */
#include "fuzz/fuzz.h"

#include "layout/layout.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 64, BYTES = 256, MOST_RANKS = 200, MOST_TEXT = 1000, SAMPLES = 8 };

/* What is parsed, and a command line that parses it too. */
typedef struct attempt {
    int64_t rows, cols;
    int ranks;
    char text[MOST_TEXT];
    char line[MOST_TEXT + 100];
} attempt;

/* Mostly small, and never so large that a plan takes noticeable time. */
static int64_t extent(fuzz_input *input) {
    int byte = fuzz_below(input, BYTES);
    return byte < 3 * SMALL ? byte % SMALL : (int64_t)SMALL << (byte - 3 * SMALL) / 8;
}

static attempt read_attempt(fuzz_input input) {
    attempt a;
    a.rows = extent(&input);
    a.cols = extent(&input);
    a.ranks = 1 + fuzz_below(&input, MOST_RANKS);
    fuzz_line(&input, a.text, sizeof a.text);
    snprintf(a.line, sizeof a.line,
             "sectile plan --ranks %d --shape %lldx%lldx1 --a row@1 --b col@1 --c %s", a.ranks,
             (long long)a.rows, (long long)a.cols, a.text);
    return a;
}

/* In every replica the owner stores the element, in the cell where the library looks for it. */
static void check_element(const attempt *a, const sct_layout *layout, int64_t row, int64_t col) {
    sct_cell cell = {sct_axis_owner(&layout->rows, sct_axis_block(&layout->rows, row)),
                     sct_axis_owner(&layout->cols, sct_axis_block(&layout->cols, col))};
    for (int replica = 0; replica < layout->replicas; replica++) {
        sct_place place = sct_layout_place(layout, replica, cell);
        int owner = sct_layout_owner(layout, replica, row, col);
        CHECK_CASE(owner == place.rank && owner >= 0 && owner < a->ranks,
                   "%s # rank %d or %d at %lld, %lld", a->line, owner, place.rank, (long long)row,
                   (long long)col);
        sct_cell found = sct_layout_cell(layout, place.rank, place.block);
        CHECK_CASE(place.block < sct_layout_cells(layout, place.rank) && found.row == cell.row &&
                       found.col == cell.col,
                   "%s # another cell at %lld, %lld", a->line, (long long)row, (long long)col);
        CHECK_CASE(sct_layout_home(layout, owner) == replica, "%s # home of rank %d", a->line,
                   owner);
    }
}

static void check_elements(const attempt *a, const sct_layout *layout) {
    uint64_t random = strlen(a->text);
    if (a->rows == 0 || a->cols == 0)
        return;
    check_element(a, layout, a->rows - 1, a->cols - 1);
    for (int i = 0; i < SAMPLES; i++)
        check_element(a, layout, check_between(&random, 0, a->rows - 1),
                      check_between(&random, 0, a->cols - 1));
}

/* All ranks together store each element once per replica. */
static void check_bytes(const attempt *a, const sct_layout *layout) {
    size_t bytes, sum = 0;
    for (int rank = 0; rank < a->ranks; rank++)
        if (CHECK_CASE(sct_layout_bytes(layout, SCT_F64, rank, &bytes) == SCT_OK, "%s # %s",
                       a->line, sct_last_reason()))
            sum += bytes;
    CHECK_CASE(sum == 8 * (size_t)a->rows * (size_t)a->cols * (size_t)sct_layout_replicas(layout),
               "%s # %zu bytes", a->line, sum);
}

static void check_printed(const attempt *a, const sct_layout *layout) {
    char printed[2 * MOST_TEXT], again[sizeof printed];
    sct_layout *read;
    size_t length = sct_layout_print(layout, printed, sizeof printed);
    if (!CHECK_CASE(length == strlen(printed), "%s # prints in %zu bytes", a->line, length) ||
        !CHECK_CASE(sct_layout_parse(printed, a->rows, a->cols, a->ranks, &read) == SCT_OK,
                    "%s # %s", a->line, sct_last_reason()))
        return;
    sct_layout_print(read, again, sizeof again);
    CHECK_CASE(strcmp(printed, again) == 0, "%s # prints as %s and then as %s", a->line, printed,
               again);
    CHECK_CASE(sct_layout_equal(layout, read) && sct_layout_order(layout) == sct_layout_order(read),
               "%s # prints as %s, another layout", a->line, printed);
    sct_layout_destroy(read);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    attempt a = read_attempt((fuzz_input){bytes, length});
    sct_layout *layout;
    if (sct_layout_parse(a.text, a.rows, a.cols, a.ranks, &layout)) {
        fuzz_check_reason("layout \"", NULL);
    } else {
        check_line(a.line);
        check_elements(&a, layout);
        check_bytes(&a, layout);
        check_printed(&a, layout);
        sct_layout_destroy(layout);
    }
    if (check_failures())
        abort();
    return 0;
}
