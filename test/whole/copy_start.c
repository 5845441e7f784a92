/* copy_start.c - copies that are under way while the ranks make other calls. */
#include "support/check.h"
#include "whole/support/collective_errors.h"
#include "whole/support/elements.h"

enum { ROWS = 61, COLS = 31 };

static const source from = {1, 4};
static const double one = 1, zero = 0;

static void set_identity(void *context, int64_t row, int64_t col, void *at) {
    (void)context;
    *(double *)at = row == col;
}

static element turned_source(const void *context, int64_t row, int64_t col) {
    return source_element(SCT_F64, *(const source *)context, col, row);
}

/* Two copies and, before they are waited for, a product with the same source. The first copy moves
 * single elements: more than are under way at once. */
static int overlap(sct_world *world, void *arg) {
    (void)arg;
    sct_matrix *a = matrix_new(world, SCT_F64, "2d", ROWS, COLS);
    sct_matrix *identity = matrix_new(world, SCT_F64, "col", COLS, COLS);
    sct_matrix *copied = matrix_new(world, SCT_F64, "cyclic:1x1", ROWS, COLS);
    sct_matrix *turned = matrix_new(world, SCT_F64, "cyclic:3x5", COLS, ROWS);
    sct_matrix *product = matrix_new(world, SCT_F64, "row", ROWS, COLS);
    sct_copying *copying[2];
    matrix_fill(world, a, from);
    matrix_write(world, identity, set_identity, NULL);
    CHECK(sct_copy_start(SCT_N, sct_whole(a), sct_whole(copied), NULL, &copying[0]) == SCT_OK);
    CHECK(sct_copy_start(SCT_T, sct_whole(a), sct_whole(turned), NULL, &copying[1]) == SCT_OK);
    CHECK(sct_multiply(SCT_N, SCT_N, &one, sct_whole(a), sct_whole(identity), &zero,
                       sct_whole(product), NULL) == SCT_OK);
    CHECK(sct_copy_wait(copying[0]) == SCT_OK);
    CHECK(matrix_count_wrong(world, copied, from) == 0);
    CHECK(sct_copy_wait(copying[1]) == SCT_OK);
    CHECK(matrix_count_unlike(world, turned, turned_source, &from) == 0);
    CHECK(matrix_count_wrong(world, product, from) == 0);
    sct_matrix *all[] = {a, identity, copied, turned, product};
    for (int i = 0; i < 5; i++)
        sct_matrix_destroy(all[i]);
    return 0;
}

/* A copy that one rank cannot start is started by none. */
static int refuse(sct_world *world, void *arg) {
    (void)arg;
    sct_matrix *a = matrix_new(world, SCT_F64, "row", ROWS, COLS);
    sct_matrix *to = matrix_new(world, SCT_F64, "col", ROWS, COLS);
    sct_matrix *square = matrix_new(world, SCT_F64, "col", COLS, COLS);
    sct_copying *copying = NULL;
    for (int i = 0; i < CULPRITS; i++) {
        bool bad = is_culprit(world, &culprits[i]);
        check_outcome(
            world, "shapes", &culprits[i],
            sct_copy_start(SCT_N, sct_whole(a), sct_whole(bad ? square : to), NULL, &copying),
            (outcome){SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "op(from) is"});
        check_outcome(
            world, "no place", &culprits[i],
            sct_copy_start(SCT_N, sct_whole(a), sct_whole(to), NULL, bad ? NULL : &copying),
            (outcome){SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "copying"});
        CHECK(copying == NULL);
    }
    sct_matrix *all[] = {a, to, square};
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(all[i]);
    return 0;
}

/* Ranks that wait for different copies learn of it. */
static int wait_in_another_order(sct_world *world, void *arg) {
    (void)arg;
    sct_matrix *a = matrix_new(world, SCT_F64, "row", ROWS, COLS);
    sct_matrix *to[] = {matrix_new(world, SCT_F64, "col", ROWS, COLS),
                        matrix_new(world, SCT_F64, "2d", ROWS, COLS)};
    const outcome different = {SCT_OK, SCT_DISAGREE, "copy="};
    for (int i = 0; i < CULPRITS; i++) {
        int first = is_culprit(world, &culprits[i]);
        sct_copying *copying[2];
        for (int c = 0; c < 2; c++)
            CHECK(sct_copy_start(SCT_N, sct_whole(a), sct_whole(to[c]), NULL, &copying[c]) ==
                  SCT_OK);
        check_outcome(world, "first", &culprits[i], sct_copy_wait(copying[first]), different);
        check_outcome(world, "second", &culprits[i], sct_copy_wait(copying[!first]), different);
    }
    sct_matrix *all[] = {a, to[0], to[1]};
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(all[i]);
    return 0;
}

int main(void) {
    run_error_ranks(2, overlap);
    run_error_ranks(2, refuse);
    run_error_ranks(2, wait_in_another_order);
    return check_report("copy_start");
}
