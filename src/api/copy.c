/* copy.c - sct_copy: copies, redistributes, transposes and conjugates a matrix, as one collective
 * call. */
#include "exec/copy.h"
#include "api/world.h"
#include "planner/planner.h"

#include "base/status.h"

static sct_status check(const sct_world *world, sct_op op, sct_view from, sct_view to) {
    sct_status status = sct_view_check(world, "from", from);
    if (!status)
        status = sct_view_check(world, "to", to);
    if (status)
        return status;
    if ((unsigned)op > SCT_C)
        return sct_fail(SCT_BAD_ARGUMENT, "op: %d is not one of N, T, C", (int)op);
    if (from.matrix->type != to.matrix->type)
        return sct_fail(SCT_BAD_ARGUMENT, "from is %s, but to is %s",
                        sct_type_name(from.matrix->type), sct_type_name(to.matrix->type));
    sct_range rows = op == SCT_N ? from.slice.rows : from.slice.cols;
    sct_range cols = op == SCT_N ? from.slice.cols : from.slice.rows;
    int64_t m = sct_range_length(rows), n = sct_range_length(cols);
    int64_t to_m = sct_range_length(to.slice.rows), to_n = sct_range_length(to.slice.cols);
    if (m != to_m || n != to_n)
        return sct_fail(SCT_BAD_ARGUMENT, "op(from) is %lld x %lld, but to is %lld x %lld",
                        (long long)m, (long long)n, (long long)to_m, (long long)to_n);
    if (sct_views_overlap(from, to))
        return sct_fail(SCT_ALIASED, "from and to share elements");
    if ((status = sct_view_present("from", from)))
        return status;
    return sct_view_present("to", to);
}

sct_status sct_copy(sct_op op, sct_view from, sct_view to, const sct_options *options) {
    const sct_view view[] = {from, to};
    sct_world *world = sct_world_of(view, 2);
    if (!world)
        return sct_fail(SCT_BAD_ARGUMENT, "from and to are missing");
    sct_request_text request = sct_request_begin("copy");
    sct_request_add_word(&request, "op", sct_op_name(op));
    sct_request_add_view(&request, "from", from);
    sct_request_add_view(&request, "to", to);
    sct_mover mover = {.tickets = 0};
    sct_options resolved;
    sct_status status = sct_options_resolve(options, &resolved);
    if (!status)
        status = check(world, op, from, to);
    if (!status)
        status = sct_world_open_mover(world, to.matrix->type, resolved.workspace, &mover);
    status = sct_world_agree(world, status, &request);
    if (!status) {
        sct_bound source = sct_matrix_bind(from), target = sct_matrix_bind(to);
        status = sct_fabric_agree(world->fabric, sct_copy_parts(&mover, op, &source, &target));
    }
    sct_world_close_mover(&mover);
    return status;
}
