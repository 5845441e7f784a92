/* view.c - submatrices, and whether two of them share memory. */
#include "api/world.h"

#include "base/checked.h"
#include "base/status.h"

sct_view sct_whole(sct_matrix *matrix) {
    sct_view view = {.matrix = matrix};
    if (matrix)
        view.slice =
            (sct_slice){{0, matrix->layout->rows.extent}, {0, matrix->layout->cols.extent}};
    return view;
}

sct_status sct_matrix_view(sct_matrix *matrix, sct_slice slice, sct_view *view) {
    sct_view made = {matrix, slice};
    sct_status status = sct_view_check(matrix ? matrix->world : NULL, "view", made);
    if (!status)
        status = sct_check_output("view", view);
    if (!status)
        *view = made;
    return status;
}

sct_status sct_view_check(const sct_world *world, const char *name, sct_view view) {
    sct_range rows = view.slice.rows, cols = view.slice.cols;
    if (!view.matrix)
        return sct_fail(SCT_BAD_ARGUMENT, "%s: the matrix is NULL", name);
    if (view.matrix->world != world)
        return sct_fail(SCT_BAD_ARGUMENT, "%s: the matrix belongs to another world", name);
    const sct_layout *layout = view.matrix->layout;
    if (rows.lo < 0 || rows.lo > rows.hi || rows.hi > layout->rows.extent || cols.lo < 0 ||
        cols.lo > cols.hi || cols.hi > layout->cols.extent)
        return sct_fail(
            SCT_BAD_ARGUMENT, "%s: [%lld, %lld) x [%lld, %lld) is not within %lld x %lld", name,
            (long long)rows.lo, (long long)rows.hi, (long long)cols.lo, (long long)cols.hi,
            (long long)layout->rows.extent, (long long)layout->cols.extent);
    return SCT_OK;
}

sct_world *sct_world_of(const sct_view *views, int count) {
    sct_world *found = NULL;
    int most = 0;
    for (int i = 0; i < count; i++) {
        int like = 0;
        for (int j = 0; j < count && views[i].matrix; j++)
            like += views[j].matrix && views[j].matrix->world == views[i].matrix->world;
        if (like > 0 && like >= most) {
            most = like;
            found = views[i].matrix->world;
        }
    }
    return found;
}

sct_status sct_matrix_present(const char *name, const sct_matrix *matrix, int rank) {
    if (!matrix->states || matrix->states[rank] != PART_MISSING)
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT, "%s: rank %d wrapped no memory", name, rank);
}

sct_status sct_view_present(const char *name, sct_view view) {
    return sct_matrix_present(name, view.matrix, view.matrix->world->fabric->rank);
}

sct_bound sct_matrix_bind(sct_view view) {
    const sct_matrix *matrix = view.matrix;
    return (sct_bound){.type = matrix->type,
                       .layout = matrix->layout,
                       .segment = matrix->segment,
                       .slice = view.slice,
                       .needs_copy = matrix->needs_copy,
                       .alike = matrix->alike};
}

static bool meet(int64_t lo, int64_t hi, int64_t other_lo, int64_t other_hi) {
    return sct_max(lo, other_lo) < sct_min(hi, other_hi);
}

/* A rectangle of bytes in memory. */
static sct_memory rectangle(sct_view view, int block) {
    int rank = view.matrix->world->fabric->rank;
    size_t bytes = sct_type_bytes(view.matrix->type);
    sct_memory memory = view.matrix->world->fabric->ops->peer(view.matrix->segment, rank)[block];
    sct_part part = sct_layout_part_in(view.matrix->layout, &view.slice, rank, block);
    return (sct_memory){sct_memory_at(&memory, part.line, part.at, bytes), memory.pitch, part.lines,
                        (size_t)part.count * bytes};
}

/* True if two rectangles with the same pitch share bytes. On a plane as wide as the pitch, the
 * second begins at line `down` and byte `right` relative to the first, and may wrap into the next
 * line. */
static bool rectangles_meet(const sct_memory *x, const sct_memory *y) {
    int64_t pitch = (int64_t)x->pitch, apart = (int64_t)((intptr_t)y->base - (intptr_t)x->base);
    int64_t down = apart / pitch - (apart % pitch < 0), right = apart - down * pitch;
    bool here = meet(0, x->lines, down, down + y->lines) &&
                meet(0, (int64_t)x->width, right, right + (int64_t)y->width);
    bool over = meet(0, x->lines, down + 1, down + 1 + y->lines) &&
                meet(0, (int64_t)x->width, right - pitch, right - pitch + (int64_t)y->width);
    return here || over;
}

static bool memories_meet(const sct_memory *x, const sct_memory *y) {
    if (x->lines == 0 || x->width == 0 || y->lines == 0 || y->width == 0 || !x->base || !y->base)
        return false;
    intptr_t x_lo = (intptr_t)x->base, y_lo = (intptr_t)y->base;
    intptr_t x_hi = x_lo + (intptr_t)((size_t)(x->lines - 1) * x->pitch + x->width);
    intptr_t y_hi = y_lo + (intptr_t)((size_t)(y->lines - 1) * y->pitch + y->width);
    if (!meet(x_lo, x_hi, y_lo, y_hi))
        return false;
    return x->pitch != y->pitch || rectangles_meet(x, y);
}

bool sct_views_overlap(sct_view x, sct_view y) {
    if (x.matrix == y.matrix)
        return meet(x.slice.rows.lo, x.slice.rows.hi, y.slice.rows.lo, y.slice.rows.hi) &&
               meet(x.slice.cols.lo, x.slice.cols.hi, y.slice.cols.lo, y.slice.cols.hi);
    int rank = x.matrix->world->fabric->rank;
    for (int i = 0; i < sct_layout_cells(x.matrix->layout, rank); i++)
        for (int j = 0; j < sct_layout_cells(y.matrix->layout, rank); j++) {
            sct_memory left = rectangle(x, i), right = rectangle(y, j);
            if (memories_meet(&left, &right))
                return true;
        }
    return false;
}

sct_problem sct_views_problem(const sct_world *world, sct_op op_a, sct_op op_b,
                              const sct_view view[SCT_MATS]) {
    const sct_matrix *a = view[SCT_MAT_A].matrix, *b = view[SCT_MAT_B].matrix,
                     *c = view[SCT_MAT_C].matrix;
    return (sct_problem){.size = sizeof(sct_problem),
                         .type = a->type,
                         .sum_c = a->type != c->type,
                         .op_a = op_a,
                         .op_b = op_b,
                         .a = a->layout,
                         .b = b->layout,
                         .c = c->layout,
                         .view_a = &view[SCT_MAT_A].slice,
                         .view_b = &view[SCT_MAT_B].slice,
                         .view_c = &view[SCT_MAT_C].slice,
                         .ranks = world->fabric->size,
                         .ranks_per_node_a = sct_matrix_ranks_per_node(a),
                         .ranks_per_node_b = sct_matrix_ranks_per_node(b),
                         .ranks_per_node_c = sct_matrix_ranks_per_node(c),
                         .ranks_per_node = world->fabric->ranks_per_node,
                         .gpus = world->gpus};
}
