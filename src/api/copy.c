/* copy.c - sct_copy: copies, redistributes, transposes and conjugates a matrix, as one collective
 * call or as two, between which other calls are made. */
#include "exec/copy.h"
#include "api/copying.h"
#include "api/world.h"
#include "planner/planner.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>

struct sct_copying {
    sct_world *world;
    sct_recent_call *call; /* which has it */
    uint64_t number;
    sct_bound from, to;
    sct_mover mover;
    sct_status status; /* of the start, on this rank */
    char reason[SCT_REASON_BYTES];
};

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

void sct_copying_destroy(sct_copying *copying) {
    if (!copying)
        return;
    sct_world_close_mover(&copying->mover);
    free(copying);
}

void sct_copying_rest(sct_copying *copying) {
    sct_mover *mover = &copying->mover;
    sct_mover_close(mover);
    mover->context.device->ops->stream_close(mover->stream);
    mover->stream = NULL;
}

/* Takes a stream again. */
static sct_status wake(sct_copying *copying) {
    sct_device *device = copying->world->device;
    return device->ops->stream_open(device, &copying->mover.stream);
}

/* Makes this rank's copy of it, without any transfer. */
static sct_status bind(sct_world *world, sct_recent_call *call) {
    sct_view from = call->key.view[0], to = call->key.view[1];
    sct_copying *made = call->copying = calloc(1, sizeof *made);
    if (!made)
        return sct_no_memory("a copy");
    made->world = world;
    made->call = call;
    made->from = sct_matrix_bind(from);
    made->to = sct_matrix_bind(to);
    sct_status status =
        sct_world_open_mover(world, to.matrix, call->key.options.workspace, &made->mover);
    call->bytes = made->mover.buffer_bytes;
    return status;
}

/* Finds or makes this rank's copy of it. */
static sct_status find(sct_world *world, sct_op op, sct_view from, sct_view to,
                       const sct_options *options, sct_recent_call **call) {
    sct_options resolved;
    sct_status status = sct_options_resolve(options, &resolved);
    const sct_recent_key wanted = sct_recent_copy(op, from, to, resolved.workspace);
    *call = status ? NULL : sct_recent_take(&world->recent, &wanted);
    if (status || *call)
        return status ? status : wake((*call)->copying);
    if ((status = check(world, op, from, to)))
        return status;
    *call = sct_recent_new(&wanted);
    return *call ? bind(world, *call) : sct_no_memory("a copy");
}

static sct_status start(const char *verb, sct_op op, sct_view from, sct_view to,
                        const sct_options *options, sct_copying **copying) {
    const sct_view view[] = {from, to};
    sct_world *world = sct_world_of(view, 2);
    if (!world)
        return sct_fail(SCT_BAD_ARGUMENT, "from and to are NULL");
    sct_request_text request = sct_request_begin(verb);
    sct_request_add_word(&request, "op", sct_op_name(op));
    sct_request_add_view(&request, "from", from);
    sct_request_add_view(&request, "to", to);
    sct_recent_call *call = NULL;
    sct_status status = sct_check_given("copying", copying);
    if (!status)
        status = find(world, op, from, to, options, &call);
    sct_fabric_enter(world->fabric);
    status = sct_world_agree(world, status, &request);
    if (status) {
        sct_recent_destroy(call);
        return sct_fabric_leave(world->fabric, status);
    }
    sct_copying *made = call->copying;
    made->number = ++world->copies;
    made->status = sct_copy_start_parts(&made->mover, op, &made->from, &made->to);
    if (made->status)
        snprintf(made->reason, sizeof made->reason, "%s", sct_last_reason());
    sct_fabric_leave(world->fabric, SCT_OK);
    *copying = made;
    return SCT_OK;
}

sct_status sct_copy_start(sct_op op, sct_view from, sct_view to, const sct_options *options,
                          sct_copying **copying) {
    return start("copy_start", op, from, to, options, copying);
}

sct_status sct_copy_wait(sct_copying *copying) {
    sct_status status = sct_check_given("copying", copying);
    if (status)
        return status;
    sct_fabric *fabric = copying->world->fabric;
    sct_fabric_enter(fabric);
    sct_status finished = sct_mover_finish(&copying->mover);
    status = copying->status ? sct_fail(copying->status, "%s", copying->reason) : finished;
    sct_request_text request = sct_request_begin("copy_wait");
    sct_request_add_number(&request, "copy", (int64_t)copying->number);
    status = sct_world_agree(copying->world, status, &request);
    if (status)
        sct_recent_destroy(copying->call);
    else
        sct_recent_keep(&copying->world->recent, copying->call);
    return sct_fabric_leave(fabric, status);
}

sct_status sct_copy(sct_op op, sct_view from, sct_view to, const sct_options *options) {
    sct_copying *copying;
    sct_status status = start("copy", op, from, to, options, &copying);
    return status ? status : sct_copy_wait(copying);
}
