/* text.c - layout texts: they mean what docs/layouts.md says, print back to themselves, are refused
 * with a good reason, and are safe to parse whatever they contain. */
#include "layout/layout.h"

#include "support/check.h"
#include "support/layouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 20, COLS = 30, CASES = 500, MUTATIONS = 20000, MOST_TEXT = 1000 };

struct text {
    const char *text;
    int ranks;
};

static const struct text good[] = {
    {"row", 4},
    {"col", 1},
    {"2d", 12},
    {"cyclic:4x5", 6},
    {"row@4", 4},
    {"col@3", 100},
    {"2d:3x4", 12},
    {"cyclic:4x5@2x3", 6},
    {"cyclic:4x5,src=1x0", 6},
    {"cyclic:4x5,first=3x5", 6},
    {"cyclic:4x5@2x3,src=0x2,first=4x1", 7},
    {"cyclic:9223372036854775807x1@1x1,first=1x1", 1},
    {"cuts:-x-@0", 1},
    {"cuts:-x-@0x0", 1},
    {"cuts:5x-@3,1", 4},
    {"cuts:5,5,20x0,30@1,0,0,2x0,1,0", 6},
    {"cuts:5x7,9@0,1,2,2,1,0", 3},
    {"cuts:5x7,9@0,1,2,2,1,0@5", 5},
    {"cuts:5x-@0,1x0@3x2", 6},
    {"row*2", 4},
    {"2d*3", 12},
    {"col@2*3", 6},
    {"2d*2:64%3,1,0,2/f", 4},
    {"cuts:5x-@0,1*2", 4},
    {"row/f", 4},
    {"row%2,0,3,1", 4},
    {"row@2*2%7,1,5,0/f", 8},
    {"cyclic:4x5@1x2,src=0x1,first=1x1*2%3,2,1,0/f", 4},
    {"cuts:5x-@0,1x0%1,0/f", 2},
    {"2d:2x2*4%4x4,1x4", 16},
    {"2d:3x4%1x2,6x2,2x3", 12},
    {"row@9%3x3,1x3/f", 9},
    {"row@9%0,1,2,3,4,5,6,8,7", 9},
    {"row@10%0,2,4,6,8,1,3,5,9,7", 10},
};

static sct_layout *parse(struct text text) {
    sct_layout *layout = NULL;
    sct_status status = sct_layout_parse(text.text, ROWS, COLS, text.ranks, &layout);
    CHECK_CASE(status == SCT_OK, "%s on %d: %s", text.text, text.ranks, sct_last_reason());
    return layout;
}

/* Compares storage as well as owners. */
static bool same_layouts(const sct_layout *a, const sct_layout *b) {
    if (a->replicas != b->replicas || a->share_block != b->share_block ||
        a->positions != b->positions || a->ranks != b->ranks || a->order != b->order ||
        !a->owner_of != !b->owner_of)
        return false;
    for (int64_t i = 0; i < a->rows.extent; i++)
        for (int64_t j = 0; j < a->cols.extent; j++)
            for (int q = 0; q < a->replicas; q++)
                if (sct_layout_owner(a, q, i, j) != sct_layout_owner(b, q, i, j))
                    return false;
    for (int rank = 0; rank < a->ranks; rank++)
        if (sct_layout_cells(a, rank) != sct_layout_cells(b, rank))
            return false;
    return true;
}

/* ---- Good texts ---- */

static void check_round_trip(const char *text, const sct_layout *layout) {
    char printed[MOST_TEXT];
    size_t length = sct_layout_print(layout, printed, sizeof printed);
    CHECK_CASE(strcmp(printed, text) == 0, "%s became %s", text, printed);
    CHECK_CASE(length == strlen(text), "%s: length %zu", text, length);
}

static void test_good(void) {
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        sct_layout *layout = parse(good[i]);
        if (layout)
            check_round_trip(good[i].text, layout);
        sct_layout_destroy(layout);
    }
}

/* Texts that mean the same; the second one spells everything out. */
static const struct {
    struct text text;
    const char *in_full;
} pairs[] = {
    {{"row", 4}, "row@4"},
    {{"row*2", 4}, "row@2*2"},
    {{"2d", 12}, "2d:3x4"},
    {{"2d*2", 12}, "2d:2x3*2"},
    {{"2d", 7}, "2d:1x7"},
    {{"cyclic:4x5", 6}, "cyclic:4x5@2x3"},
    {{"row@3", 3}, "2d:3x1"},
    {{"col@3", 3}, "2d:1x3"},
    {{"2d:2x2", 4}, "cyclic:10x15@2x2"},
    {{"cyclic:8x30@2x1,src=1x0,first=3x30", 2}, "cuts:3,11,19x-@1,0,1,0x0"},
    {{"cuts:5x-@0,1x0@2x1", 2}, "cuts:5x-@0,1x0"},
    {{"row@2%1,0", 2}, "cuts:10x-@1,0x0"},
    {{"row@04", 4}, "row@4"},
    {{"row%2x2,1x2", 4}, "row@4%0,2,1,3"},
    {{"row@2%5x2", 6}, "row@2%0,5"},
    {{"row%3x1,2x2,4x3,1x2", 12}, "row@12%2x6,1x2"},
    {{"row%0,2,4,6,8,10,1,3,5,7,9,11", 12}, "row@12%2x6,1x2"},
    {{"row*1", 4}, "row@4"},
    {{"row*1:5", 4}, "row@4"},
    {{"col*2:007", 4}, "col@2*2:7"},
    {{"cyclic:4x4@2x2,src=0x0", 4}, "cyclic:4x4@2x2"},
    {{"cyclic:4x4@2x2,first=0x4", 4}, "cyclic:4x4@2x2"},
    {{"cuts:5x-@0,1@2", 2}, "cuts:5x-@0,1"},
};

static void test_meaning(void) {
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        sct_layout *a = parse(pairs[i].text);
        sct_layout *b = parse((struct text){pairs[i].in_full, pairs[i].text.ranks});
        CHECK_CASE(a && b && same_layouts(a, b), "%s is not %s", pairs[i].text.text,
                   pairs[i].in_full);
        if (b)
            check_round_trip(pairs[i].in_full, b);
        sct_layout_destroy(a);
        sct_layout_destroy(b);
    }
}

static void test_random(uint64_t *state) {
    for (int i = 0; i < CASES; i++) {
        char text[MOST_TEXT];
        sct_layout *made = make_random_layout(state, ROWS, COLS);
        size_t length = sct_layout_print(made, text, sizeof text);
        CHECK_CASE(length == strlen(text), "%s: length %zu", text, length);
        sct_layout *read = parse((struct text){text, sct_layout_ranks(made)});
        CHECK_CASE(read && same_layouts(made, read), "%s is another layout", text);
        if (read)
            check_round_trip(text, read);
        sct_layout_destroy(made);
        sct_layout_destroy(read);
    }
}

/* On more ranks than it has parts, a layout must give the number of parts. */
static void test_mapped(void) {
    static const int map[] = {5, 0};
    sct_layout *layout = parse((struct text){"row", 2}), *stored, *mapped;
    CHECK(sct_layout_store(layout, SCT_COL_MAJOR, &stored) == SCT_OK);
    CHECK(sct_layout_map_ranks(stored, map, &mapped) == SCT_OK);
    check_round_trip("row/f", stored);
    check_round_trip("row@2%5,0/f", mapped);
    sct_layout_destroy(layout);
    sct_layout_destroy(stored);
    sct_layout_destroy(mapped);
}

/* Many blocks of one row each; row i belongs to rank i % 3. */
static void test_long(void) {
    enum { BLOCKS = 5000, BYTES = BLOCKS * 8 };
    char *text = malloc(BYTES), *printed = malloc(BYTES);
    size_t at = (size_t)sprintf(text, "cuts:1");
    for (int b = 2; b < BLOCKS; b++)
        at += (size_t)sprintf(text + at, ",%d", b);
    at += (size_t)sprintf(text + at, "x-@0");
    for (int b = 1; b < BLOCKS; b++)
        at += (size_t)sprintf(text + at, ",%d", b % 3);
    sct_layout *layout;
    CHECK(sct_layout_parse(text, BLOCKS, 2, 3, &layout) == SCT_OK);
    CHECK(sct_layout_print(layout, printed, BYTES) == at && strcmp(text, printed) == 0);
    CHECK(sct_layout_owner(layout, 0, 4999, 1) == 4999 % 3 && sct_layout_cells(layout, 2) == 1666);
    sct_layout_destroy(layout);
    CHECK(sct_layout_parse(text, BLOCKS - 2, 2, 3, &layout) == SCT_BAD_ARGUMENT);
    CHECK(strstr(sct_last_reason(), "...\": rows: cut 4999 is not between 4998 and 4998"));
    free(text);
    free(printed);
}

static void test_short_buffers(void) {
    static const char text[] = "cyclic:4x5@1x2,src=0x1,first=1x1*2%3,2,1,0/f";
    sct_layout *layout = parse((struct text){text, 4});
    CHECK(sct_layout_print(layout, NULL, 0) == sizeof text - 1);
    for (size_t bytes = 0; bytes <= sizeof text + 2; bytes++) {
        char printed[sizeof text + 4];
        memset(printed, '#', sizeof printed);
        CHECK(sct_layout_print(layout, printed, bytes) == sizeof text - 1);
        size_t kept = bytes < sizeof text ? bytes : sizeof text;
        CHECK(memcmp(printed, text, kept > 0 ? kept - 1 : 0) == 0);
        CHECK(kept == 0 || printed[kept - 1] == '\0');
        CHECK(printed[kept] == '#');
    }
    sct_layout_destroy(layout);
}

/* ---- Bad texts ---- */

static const struct {
    struct text text;
    const char *words;
} bad[] = {
    {{"", 4}, "layout \"\": expected row, col, 2d, cyclic:MBxNB or cuts:..."},
    {{"rows", 4}, "layout \"rows\": expected row, col, 2d, cyclic:MBxNB or cuts:..."},
    {{"ro", 4}, "expected row, col, 2d"},
    {{" row", 4}, "expected row, col, 2d"},
    {{"Row", 4}, "expected row, col, 2d"},
    {{"row\n", 4}, "layout \"row?\": expected row"},
    {{"r\xc3\xb6w\x7f", 4}, "layout \"r??w?\": expected row"},
    {{"row@", 4}, "expected a number at the end"},
    {{"row@-1", 4}, "expected a number at \"-1\""},
    {{"row@+1", 4}, "expected a number at \"+1\""},
    {{"row@0", 4}, "layout \"row@0\": rows: a grid size of 0"},
    {{"row@5", 4}, "at least 5 ranks are needed, but there are 4"},
    {{"row@2", 1}, "at least 2 ranks are needed, but there is 1"},
    {{"row@2*3", 4}, "at least 6 ranks are needed, but there are 4"},
    {{"row@4 ", 4}, "expected *C, %R0,R1,... or /f, in this order, at \" \""},
    {{"row/c", 4}, "at \"/c\""},
    {{"row/f/f", 4}, "at \"/f\""},
    {{"row/f*2", 4}, "at \"*2\""},
    {{"row:4", 4}, "at \":4\""},
    {{"row*3", 4}, "layout \"row*3\": 3 replicas do not divide 4 ranks"},
    {{"row*3", 1}, "layout \"row*3\": 3 replicas do not divide 1 rank"},
    {{"row*0", 4}, "replicas: 0 is not at least 1"},
    {{"row*", 4}, "expected a number at the end"},
    {{"row*2:", 4}, "expected a number at the end"},
    {{"row*2:0", 4}, "expected a positive number at the end"},
    {{"row:4*2", 4}, "at \":4*2\""},
    {{"row*5", 0}, "rows: a grid size of 0"},
    {{"2d", 0}, "columns: a grid size of 0"},
    {{"2d", -4}, "columns: a grid size of -4"},
    {{"row@2147483648", 4}, "the number at \"2147483648\" is more than 2147483647"},
    {{"2d:2", 4}, "expected x and a number at the end"},
    {{"2d:2,2", 4}, "expected x and a number at \",2\""},
    {{"2d@2x2", 4}, "at \"@2x2\""},
    {{"2d:3x2", 4}, "at least 6 ranks are needed, but there are 4"},
    {{"2d:2147483647x2147483647*2147483647", 4}, "ranks are needed, but there are 4"},
    {{"cyclic", 4}, "expected :MBxNB at the end"},
    {{"cyclic:4", 4}, "expected x and a number at the end"},
    {{"cyclic:0x4", 4}, "layout \"cyclic:0x4\": rows: a block size of 0 is not at least 1"},
    {{"cyclic:4x0", 4}, "columns: a block size of 0 is not at least 1"},
    {{"cyclic:9223372036854775808x1", 4}, "is more than 9223372036854775807"},
    {{"cyclic:4x4@2x2,src=2x0", 4}, "rows: source 2 is not between 0 and 1"},
    {{"cyclic:4x4@2x2,src=0", 4}, "expected x and a number"},
    {{"cyclic:4x4@2x2,first=5x0", 4}, "a first block of 5 is not between 0 and 4"},
    {{"cyclic:4x4@2x2,first=1x1,src=0x0", 4}, "at \",src=0x0\""},
    {{"cyclic:4x4,@2x2", 4}, "at \",@2x2\""},
    {{"cuts", 4}, "expected :ROWCUTSxCOLCUTS@OWNERS at the end"},
    {{"cuts:", 4}, "expected a number at the end"},
    {{"cuts:5", 4}, "expected x and column cuts at the end"},
    {{"cuts:5x-", 4}, "expected @ and owners at the end"},
    {{"cuts:5x-@", 4}, "expected a number at the end"},
    {{"cuts:5,x-@0,1", 4}, "expected a number at \"x-@0,1\""},
    {{"cuts:5x-@0", 4}, "owners of tiles: 1 given, 2 needed"},
    {{"cuts:5x-@0,1,2", 4}, "owners of tiles: 3 given, 2 needed"},
    {{"cuts:5x-@0x0", 4}, "owners of rows: 1 given, 2 needed"},
    {{"cuts:5x-@0,1x0,0", 4}, "owners of columns: 2 given, 1 needed"},
    {{"cuts:5,4x-@0,1,2", 4}, "rows: cut 4 is not between 5 and 20"},
    {{"cuts:21x-@0,1", 4}, "rows: cut 21 is not between 0 and 20"},
    {{"cuts:5x-@0,4", 4}, "at least 5 ranks are needed, but there are 4"},
    {{"cuts:5x-@0,2147483646", 4}, "at least 2147483647 ranks are needed"},
    {{"cuts:5x-@0,2147483647", 4}, "is more than 2147483646"},
    {{"cuts:5x-@0,3x0@2x1", 4}, "rows: owner 3 is not between 0 and 1"},
    {{"cuts:5x-@0,3@2", 4}, "tile 1: owner 3 is not between 0 and 1"},
    {{"cuts:5x-@0,1%0,1", 4}, "rank map: the layout has one already, or owners"},
    {{"row%0,1,2", 4}, "ranks of the rank map: 3 given, 4 needed"},
    {{"row%0,1,2,4", 4}, "rank map: 4 is not a rank between 0 and 3"},
    {{"row%0,1,2,1", 4}, "rank map: rank 1 appears twice"},
    {{"row%2x2", 4}, "ranks of the rank map: 2 given, 4 needed"},
    {{"row%2x0", 4}, "ranks of the rank map: 0 given, 4 needed"},
    {{"row%2x2,2x2", 4}, "rank map: 4 is not a rank between 0 and 3"},
    {{"row%1x2,1x2", 4}, "rank map: rank 1 appears twice"},
    {{"row%1x2147483647,1x2147483647,1x2147483647", 4}, "rank map: 2147483647 is not a rank"},
    {{"row%0x2147483647,0x2147483647,0x2147483647", 4}, "map: 9223372036854775807 given"},
    {{"row%1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1,"
      "1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x4",
      4},
     "rank map: more than 31 strides"},
    {{"row%2x", 4}, "expected a number at the end"},
    {{"row%2x2,", 4}, "expected a number at the end"},
    {{"row%2x2,1", 4}, "expected x and a number at the end"},
    {{"cuts:5x-@0,1%1x2", 4}, "rank map: the layout has one already, or owners"},
    {{"row%", 4}, "expected a number at the end"},
    {{"row%0,1,2,", 4}, "expected a number at the end"},
};

static void test_bad(void) {
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sct_layout *layout = NULL;
        sct_status status =
            sct_layout_parse(bad[i].text.text, ROWS, COLS, bad[i].text.ranks, &layout);
        CHECK_CASE(status == SCT_BAD_ARGUMENT && !layout, "%s is %s", bad[i].text.text,
                   sct_status_name(status));
        CHECK_CASE(strstr(sct_last_reason(), bad[i].words), "%s", sct_last_reason());
    }
}

static void test_bad_shapes(void) {
    sct_layout *layout = NULL;
    CHECK(sct_layout_parse(NULL, ROWS, COLS, 4, &layout) == SCT_BAD_ARGUMENT);
    CHECK(strcmp(sct_last_reason(), "layout: the text is NULL") == 0);
    CHECK(sct_layout_parse("row", -1, COLS, 4, &layout) == SCT_BAD_ARGUMENT);
    CHECK(strcmp(sct_last_reason(), "layout \"row\": rows: -1 is negative") == 0);
    CHECK(sct_layout_parse("cuts:-x-@0", ROWS, -1, 4, &layout) == SCT_BAD_ARGUMENT);
    CHECK(!layout);
}

/* ---- Any text ---- */

/* A random byte, mostly one that the grammar knows. */
static char any_byte(uint64_t *state) {
    static const char known[] = "0123456789xx,,,@:*%/-fcrow2d=src";
    if (check_between(state, 0, 9) == 0)
        return (char)check_between(state, 1, 255);
    return known[check_between(state, 0, (int64_t)sizeof known - 2)];
}

/* Replaces, inserts, removes or duplicates something. */
static void mutate(uint64_t *state, char *text) {
    size_t length = strlen(text), at = (size_t)check_between(state, 0, (int64_t)length);
    switch (check_between(state, 0, 3)) {
    case 0:
        if (at < length)
            text[at] = any_byte(state);
        break;
    case 1:
        memmove(text + at + 1, text + at, length - at + 1);
        text[at] = any_byte(state);
        break;
    case 2:
        if (at < length)
            memmove(text + at, text + at + 1, length - at);
        break;
    default:
        memmove(text + length, text + at, length - at + 1);
    }
}

static void check_any(const char *text, int ranks) {
    sct_layout *layout = NULL;
    char printed[MOST_TEXT];
    if (sct_layout_parse(text, ROWS, COLS, ranks, &layout)) {
        const char *reason = sct_last_reason();
        CHECK_CASE(strncmp(reason, "layout \"", 8) == 0, "%s", reason);
        CHECK_CASE(!strchr(reason, '\n'), "%s", reason);
        CHECK(!layout);
        return;
    }
    sct_layout_print(layout, printed, sizeof printed);
    sct_layout *again = parse((struct text){printed, ranks});
    CHECK_CASE(again && same_layouts(layout, again), "%s became %s", text, printed);
    sct_layout_destroy(layout);
    sct_layout_destroy(again);
}

static void test_mutations(uint64_t *state) {
    enum { MOST_CHANGES = 4 };
    for (int i = 0; i < MUTATIONS; i++) {
        struct text start = good[check_between(state, 0, sizeof good / sizeof *good - 1)];
        char text[MOST_TEXT]; /* room for its length doubled MOST_CHANGES times */
        strcpy(text, start.text);
        for (int64_t changes = check_between(state, 1, MOST_CHANGES); changes > 0; changes--)
            mutate(state, text);
        check_any(text, start.ranks);
    }
}

int main(void) {
    uint64_t state = check_seed(1);
    test_good();
    test_meaning();
    test_random(&state);
    test_mapped();
    test_long();
    test_short_buffers();
    test_bad();
    test_bad_shapes();
    test_mutations(&state);
    return check_report("text");
}
