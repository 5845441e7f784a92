/* plan_svg_work.c - draws the grid that a work layout cuts the work into. */
#include "pictures/plan_svg_work.h"

#include "pictures/svg.h"

/* Finds where rows, or columns, are cut, and returns the number of cuts; 0 if there are too many.
 */
static int find_cuts(const sct_layout *work, bool down, int64_t cuts[SVG_AXIS_BLOCKS]) {
    int64_t rows = sct_layout_rows(work), cols = sct_layout_cols(work), at = 0;
    int64_t size = rows > 0 && cols > 0 ? (down ? rows : cols) : 0;
    int count = 0;
    while (at < size) {
        sct_slice tile = sct_layout_tile(work, down ? at : 0, down ? 0 : at);
        at = down ? tile.rows.hi : tile.cols.hi;
        if (at < size && count == SVG_AXIS_BLOCKS)
            return 0;
        if (at < size)
            cuts[count++] = at;
    }
    return count;
}

void svg_work_draw(const struct drawing *drawing, const struct svg_matrix *view, FILE *out) {
    const struct svg_axis *down = &view->down, *across = &view->across;
    const sct_layout *work = sct_plan_work(drawing->plan);
    int64_t cuts[SVG_AXIS_BLOCKS];
    int rows = down->all ? find_cuts(work, true, cuts) : 0;
    for (int i = 0; i < rows; i++) {
        int y = view->y + svg_axis_at(down, cuts[i]);
        svg_limit(out, view->x, y, view->x + across->length, y);
    }
    int cols = across->all ? find_cuts(work, false, cuts) : 0;
    for (int i = 0; i < cols; i++) {
        int x = view->x + svg_axis_at(across, cuts[i]);
        svg_limit(out, x, view->y, x, view->y + down->length);
    }
}
