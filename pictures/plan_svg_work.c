/* plan_svg_work.c - draws the grid that a work layout cuts the work into, and the part of a rank.
 */
#include "pictures/plan_svg_work.h"

#include "pictures/svg.h"

/* Where the rows, or the columns, of a work layout begin and end; `count` of these are cuts. */
struct work_cuts {
    int count;
    int64_t at[SVG_AXIS_BLOCKS + 2];
};

/* False if there are none, or too many. */
static bool find_cuts(const sct_layout *work, bool down, struct work_cuts *cuts) {
    int64_t rows = sct_layout_rows(work), cols = sct_layout_cols(work), at = 0;
    int64_t size = rows > 0 && cols > 0 ? (down ? rows : cols) : 0;
    int parts = 0;
    while (at < size && parts <= SVG_AXIS_BLOCKS) {
        sct_slice tile = sct_layout_tile(work, down ? at : 0, down ? 0 : at);
        at = down ? tile.rows.hi : tile.cols.hi;
        cuts->at[++parts] = at;
    }
    bool complete = size > 0 && at == size;
    cuts->count = complete ? parts - 1 : 0;
    return complete;
}

/* Frames the boxes of the rank: one, or several where blocks of the work are dealt in turn. */
static bool frame_boxes(const struct drawing *drawing, const struct svg_matrix *view,
                        const struct work_cuts *rows, const struct work_cuts *cols, FILE *out) {
    const sct_layout *work = sct_plan_work(drawing->plan);
    int replica = sct_layout_home(work, drawing->rank);
    bool framed = false;
    for (int i = 0; i <= rows->count; i++)
        for (int j = 0; j <= cols->count; j++) {
            if (sct_layout_owner(work, replica, rows->at[i], cols->at[j]) != drawing->rank)
                continue;
            int top = svg_axis_at(&view->down, rows->at[i]);
            int left = svg_axis_at(&view->across, cols->at[j]);
            svg_box(out, view->x + left, view->y + top,
                    svg_axis_at(&view->across, cols->at[j + 1]) - left,
                    svg_axis_at(&view->down, rows->at[i + 1]) - top,
                    "class=\"own\" stroke-width=\"3\"");
            framed = true;
        }
    return framed;
}

bool svg_work_draw(const struct drawing *drawing, const struct svg_matrix *view, FILE *out) {
    const struct svg_axis *down = &view->down, *across = &view->across;
    const sct_layout *work = sct_plan_work(drawing->plan);
    struct work_cuts rows = {.count = 0}, cols = {.count = 0};
    bool all = down->all && find_cuts(work, true, &rows);
    for (int i = 1; i <= rows.count; i++) {
        int y = view->y + svg_axis_at(down, rows.at[i]);
        svg_limit(out, view->x, y, view->x + across->length, y);
    }
    all &= across->all && find_cuts(work, false, &cols);
    for (int i = 1; i <= cols.count; i++) {
        int x = view->x + svg_axis_at(across, cols.at[i]);
        svg_limit(out, x, view->y, x, view->y + down->length);
    }
    return all && frame_boxes(drawing, view, &rows, &cols, out);
}
