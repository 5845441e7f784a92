/* empty_copy.c - a copy of no elements lists no blocks of the other dimension, however many there
 * are. */
#include "support/check.h"

#include <sectile/sectile.h>

enum { RANKS = 3 };

static const int64_t size = 1000000000; /* more blocks than may be listed */

static void copy(sct_world *world, sct_op op, int64_t rows, int64_t cols) {
    sct_layout *from, *to;
    sct_matrix *source, *target;
    CHECK(sct_layout_parse("cyclic:1x1", op == SCT_N ? rows : cols, op == SCT_N ? cols : rows,
                           RANKS, &from) == SCT_OK);
    CHECK(sct_layout_parse("cyclic:3x5", rows, cols, RANKS, &to) == SCT_OK);
    CHECK(sct_matrix_create(world, SCT_F64, from, &source) == SCT_OK);
    CHECK(sct_matrix_create(world, SCT_F64, to, &target) == SCT_OK);
    CHECK_CASE(sct_copy(op, sct_whole(source), sct_whole(target), NULL) == SCT_OK, "%s",
               sct_last_reason());
    sct_matrix_destroy(source);
    sct_matrix_destroy(target);
    sct_layout_destroy(from);
    sct_layout_destroy(to);
}

static int rank_main(sct_world *world, void *unused) {
    (void)unused;
    copy(world, SCT_N, size, 0);
    copy(world, SCT_N, 0, size);
    copy(world, SCT_T, size, 0);
    copy(world, SCT_T, 0, size);
    return 0;
}

int main(void) {
    CHECK(sct_run(RANKS, NULL, rank_main, NULL) == SCT_OK);
    return check_report("empty_copy");
}
