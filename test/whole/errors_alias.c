/* errors_alias.c - C that shares elements with A or B is an error on all ranks. C that is only
 * close to them in memory is computed correctly. */
#include "whole/support/collective_errors.h"
#include "whole/support/elements.h"

enum { WIDTH = 6, LD = 2 * WIDTH, LINES = 2, ROOM = 4 * LD, ROWS = LINES * ERROR_RANKS };

static const double one = 1, minus_one = -1;

/* ---- Wrapped memory in which two matrices may overlap ---- */

/* Whether two blocks of LINES lines of WIDTH elements overlap, if the second starts `offset`
 * elements after the first. */
static bool overlap(int offset) {
    bool used[ROOM] = {false}, found = false;
    for (int i = 0; i < LINES * WIDTH; i++)
        used[i / WIDTH * LD + i % WIDTH] = true;
    for (int i = 0; i < LINES * WIDTH; i++)
        found |= used[offset + i / WIDTH * LD + i % WIDTH];
    return found;
}

typedef struct wraps {
    double memory[ROOM + ROOM];
    sct_matrix *a, *c;
} wraps;

static void wrap(sct_world *world, int offset, wraps *w) {
    sct_layout *layout = layout_of("row", ROWS, WIDTH, ERROR_RANKS);
    CHECK(sct_matrix_wrap(world, SCT_F64, layout, w->memory, LD, &w->a) == SCT_OK);
    CHECK(sct_matrix_wrap(world, SCT_F64, layout, w->memory + offset, LD, &w->c) == SCT_OK);
    sct_layout_destroy(layout);
    for (int i = 0; i < ROOM + ROOM; i++)
        w->memory[i] = i;
    matrix_set(world, w->a, (element){3, 0});
    matrix_set(world, w->c, (element){5, 0});
}

/* Whether all of C is `value`, and no other memory has changed. */
static bool only_c_is(const wraps *w, int offset, double value) {
    bool right = true;
    for (int i = 0; i < ROOM + ROOM; i++) {
        int line = (i - offset) / LD, col = (i - offset) % LD;
        bool in_a = i / LD < LINES && i % LD < WIDTH;
        bool in_c = i >= offset && line < LINES && col < WIDTH;
        right &= w->memory[i] == (in_c ? value : in_a ? 3 : i);
    }
    return right;
}

/* The culprits place C at `offset` behind A; the other ranks place it beside A. */
static void try_offset(sct_world *world, sct_matrix *square, int offset) {
    for (int i = 0; i < CULPRITS; i++) {
        int mine = is_culprit(world, &culprits[i]) ? offset : WIDTH;
        sct_status want = overlap(offset) ? SCT_ALIASED : SCT_OK;
        outcome expected = {want, want, "share"};
        wraps w;
        wrap(world, mine, &w);
        sct_status status = sct_multiply(SCT_N, SCT_N, &one, sct_whole(w.a), sct_whole(square),
                                         &one, sct_whole(w.c), NULL);
        check_outcome(world, "multiply", &culprits[i], status, expected);
        /* 3 * 2 summed over WIDTH, plus 5 */
        CHECK_CASE(status || only_c_is(&w, mine, 6 * WIDTH + 5), "multiply at offset %d", mine);
        status = sct_multiply(SCT_T, SCT_N, &one, sct_whole(square), sct_whole(square), &one,
                              (sct_view){w.c, {{0, WIDTH}, {0, WIDTH}}}, NULL);
        check_outcome(world, "square", &culprits[i], status, (outcome){SCT_OK, SCT_OK, ""});
        status = sct_copy(SCT_N, sct_whole(w.a), sct_whole(w.c), NULL);
        check_outcome(world, "copy", &culprits[i], status, expected);
        CHECK_CASE(status || only_c_is(&w, mine, 3), "copy at offset %d", mine);
        sct_matrix_destroy(w.a);
        sct_matrix_destroy(w.c);
    }
}

/* ---- A, B and C are views of one matrix ---- */

enum { SIZE = 12, CUT = 7 };

static const source in_place = {9, 4};

/* The matrix after one step of block elimination, which updates its lower right block. */
static element eliminated(const void *context, int64_t row, int64_t col) {
    (void)context;
    element sum = source_element(SCT_F64, in_place, row, col);
    for (int64_t l = 0; l < CUT && row >= CUT && col >= CUT; l++)
        sum.re -= source_element(SCT_F64, in_place, row, l).re *
                  source_element(SCT_F64, in_place, l, col).re;
    return sum;
}

static void eliminate(sct_world *world, const char *text, sct_stay stay) {
    sct_options options = {.size = sizeof options, .stay = stay};
    sct_matrix *x = matrix_new(world, SCT_F64, text, SIZE, SIZE);
    matrix_fill(world, x, in_place);
    sct_range head = {0, CUT}, tail = {CUT, SIZE};
    sct_status status =
        sct_multiply(SCT_N, SCT_N, &minus_one, (sct_view){x, {tail, head}},
                     (sct_view){x, {head, tail}}, &one, (sct_view){x, {tail, tail}}, &options);
    CHECK_CASE(status == SCT_OK, "elimination in %s: %s", text, sct_last_reason());
    int64_t wrong = matrix_count_unlike(world, x, eliminated, NULL);
    CHECK_CASE(wrong == 0, "elimination in %s: %lld elements are wrong", text, (long long)wrong);
    sct_matrix_destroy(x);
}

/* Views of one matrix that share a row, a column or a corner, and views that only touch. */
static void try_views(sct_world *world) {
    static const struct {
        sct_slice a, c;
        bool share;
    } pairs[] = {
        {{{0, 6}, {0, 6}}, {{5, 11}, {0, 6}}, true},
        {{{0, 6}, {0, 6}}, {{0, 6}, {5, 11}}, true},
        {{{0, 6}, {0, 6}}, {{5, 11}, {5, 11}}, true},
        {{{3, 9}, {3, 9}}, {{0, 6}, {6, 12}}, true},
        {{{0, 6}, {0, 6}}, {{6, 12}, {0, 6}}, false},
        {{{0, 6}, {0, 6}}, {{0, 6}, {6, 12}}, false},
        {{{0, 6}, {0, 6}}, {{6, 12}, {6, 12}}, false},
        {{{6, 12}, {0, 6}}, {{0, 6}, {6, 12}}, false},
    };
    sct_matrix *x = matrix_new(world, SCT_F64, "cyclic:2x3", SIZE, SIZE);
    sct_matrix *b = matrix_new(world, SCT_F64, "cyclic:2x3", SIZE, SIZE);
    matrix_fill(world, x, in_place);
    matrix_fill(world, b, in_place);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        sct_view left = {x, pairs[i].a}, right = {b, {{0, 6}, {0, 6}}}, sum = {x, pairs[i].c};
        sct_status want = pairs[i].share ? SCT_ALIASED : SCT_OK;
        outcome expected = {want, want, "share"};
        check_outcome(world, "A", &culprits[0],
                      sct_multiply(SCT_N, SCT_T, &one, left, right, &one, sum, NULL), expected);
        check_outcome(world, "B", &culprits[0],
                      sct_multiply(SCT_N, SCT_T, &one, right, left, &one, sum, NULL), expected);
        check_outcome(world, "copy", &culprits[0], sct_copy(SCT_T, left, sum, NULL), expected);
    }
    sct_matrix_destroy(x);
    sct_matrix_destroy(b);
}

static int rank_main(sct_world *world, void *arg) {
    (void)arg;
    static const char *const texts[] = {"row", "2d", "cyclic:2x3/f", "cuts:5x5@0,1,2,3", "col*2"};
    sct_matrix *square = matrix_new(world, SCT_F64, "2d", WIDTH, WIDTH);
    matrix_set(world, square, (element){2, 0});
    for (int offset = 0; offset <= 2 * LD; offset++)
        try_offset(world, square, offset);
    sct_matrix_destroy(square);
    for (int i = 0; i < 5 * 4; i++)
        eliminate(world, texts[i % 5], (sct_stay)(i / 5));
    try_views(world);
    return 0;
}

int main(void) {
    run_error_ranks(1, rank_main);
    return check_report("errors_alias");
}
