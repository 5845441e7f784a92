/* candidates.c - layouts that are aligned with a work layout: blocks are shared out along either of
 * a matrix's dimensions, and each rank stores what it uses, however the ranks are numbered. */
#include "choose/candidates.h"
#include "support/check.h"
#include "support/problems.h"

enum { RANKS = 8, SIZE = 16, SPAN = 8, USERS = 2, MATRICES = 3 };

/* Each of the 2 x 2 x 2 ranks works on a cube: the replicas share k. The ranks are numbered in
 * order, by strides, and without a pattern. */
static const char *const work_texts[] = {"2d:2x2*2", "2d:2x2*2%4x2,1x2,2x2",
                                         "2d:2x2*2%3,1,4,0,5,7,2,6"};

/* The first index of a dimension that the rank works on. */
static int64_t begin_of(const sct_product *product, const sct_work_layout *work, int dim,
                        int rank) {
    sct_cell cell = sct_layout_cell(work->layout, rank, 0);
    sct_work_indices indices = sct_work_find(product, work, dim, rank, cell);
    return sct_work_axis(work, dim) ? SPAN * (dim == SCT_DIM_M ? cell.row : cell.col)
                                    : indices.range.lo;
}

static void check_stored_by_users(const sct_product *product, const sct_work_layout *work,
                                  int matrix, const sct_layout *layout) {
    for (int64_t row = 0; row < SIZE; row++)
        for (int64_t col = 0; col < SIZE; col++) {
            int owner = sct_layout_owner(layout, 0, row, col);
            int64_t above = row - begin_of(product, work, sct_matrix_dim(matrix, 0), owner);
            int64_t left = col - begin_of(product, work, sct_matrix_dim(matrix, 1), owner);
            CHECK_CASE(above >= 0 && above < SPAN && left >= 0 && left < SPAN,
                       "matrix %d: rank %d stores (%d, %d), which it does not use", matrix, owner,
                       (int)row, (int)col);
        }
}

/* No layout is aligned with work of which each tile has an owner of its own. */
static void check_none(const sct_product *product) {
    const int64_t cuts[] = {SPAN};
    const int owners[] = {0, 1, 2, 3};
    const sct_cuts both = {2, cuts, NULL};
    sct_candidates found = {.count = 0};
    sct_layout *tiles;
    CHECK(sct_layout_create_tiles(SIZE, SIZE, RANKS, &both, &both, owners, &tiles) == SCT_OK);
    const sct_work_layout work = sct_work_by_layout(product, SCT_MAT_C, tiles);
    CHECK(sct_candidates_along(product, &work, SCT_MAT_A, false, &found) == SCT_OK);
    CHECK(found.count == 0);
    sct_candidates_clear(&found);
    sct_layout_destroy(tiles);
}

static void check_aligned(const sct_product *product, const char *text) {
    sct_layout *cubes;
    CHECK(sct_layout_parse(text, SIZE, SIZE, RANKS, &cubes) == SCT_OK);
    const sct_work_layout work = sct_work_by_layout(product, SCT_MAT_C, cubes);
    for (int matrix = 0; matrix < MATRICES; matrix++) {
        sct_candidates found = {.count = 0};
        CHECK(sct_candidates_along(product, &work, matrix, false, &found) == SCT_OK);
        bool by_rows = false, by_cols = false;
        for (int i = 0; i < found.count; i++) {
            const sct_layout *one = found.layout[i];
            by_rows |= one->rows.coords == 2 * USERS && one->cols.coords == 2;
            by_cols |= one->rows.coords == 2 && one->cols.coords == 2 * USERS;
            check_stored_by_users(product, &work, matrix, one);
        }
        CHECK_CASE(found.count == 2 && by_rows && by_cols, "%s, matrix %d: %d candidates", text,
                   matrix, found.count);
        sct_candidates_clear(&found);
    }
    sct_layout_destroy(cubes);
}

int main(void) {
    const char *const texts[MATRICES] = {"2d", "2d", "2d"};
    sct_layout *layout[MATRICES];
    sct_product product;
    parse_three(SIZE, SIZE, SIZE, RANKS, texts, layout);
    const sct_problem problem = problem_with(SCT_F64, layout, RANKS);
    CHECK(sct_product_create(&problem, &product) == SCT_OK);
    for (size_t i = 0; i < sizeof work_texts / sizeof *work_texts; i++)
        check_aligned(&product, work_texts[i]);
    check_none(&product);
    sct_product_clear(&product);
    for (int i = 0; i < MATRICES; i++)
        sct_layout_destroy(layout[i]);
    return check_report("candidates");
}
