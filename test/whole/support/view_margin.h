/* view_margin.h - the rows and columns of a matrix outside its view. */
#ifndef TEST_VIEW_MARGIN_H
#define TEST_VIEW_MARGIN_H

#include "support/check.h"

#include <sectile/sectile.h>

typedef struct margin {
    int64_t above, below, left, right;
} margin;

/* Random, up to `most` on each side. */
static inline margin margin_random(int64_t most, uint64_t *random) {
    margin around;
    int64_t *const side[] = {&around.above, &around.below, &around.left, &around.right};
    for (int i = 0; i < 4; i++)
        *side[i] = check_between(random, 0, most);
    return around;
}

static inline int64_t margin_rows(margin around, int64_t rows) {
    return around.above + rows + around.below;
}

static inline int64_t margin_cols(margin around, int64_t cols) {
    return around.left + cols + around.right;
}

static inline sct_slice margin_view(margin around, int64_t rows, int64_t cols) {
    return (sct_slice){{around.above, around.above + rows}, {around.left, around.left + cols}};
}

static inline bool slice_has(const sct_slice *slice, int64_t row, int64_t col) {
    return row >= slice->rows.lo && row < slice->rows.hi && col >= slice->cols.lo &&
           col < slice->cols.hi;
}

#endif
