/* replicas.c - reduces and copies replicas: each rank fetches from the same cells of other
 * replicas. */
#include "exec/replicas.h"

#include "base/checked.h"

/* Fetches lines of a local part from another replica. */
static sct_status fetch_lines(sct_mover *mover, const sct_bound *matrix, int block, int replica,
                              sct_range lines, sct_work work) {
    sct_fabric *fabric = mover->context.fabric;
    sct_part part = sct_layout_part(matrix->layout, &matrix->slice, fabric->rank, block);
    sct_move move = {.work = work,
                     .from = matrix,
                     .place = sct_layout_place(matrix->layout, replica, part.cell),
                     .line = part.line + lines.lo,
                     .at = part.at,
                     .lines = lines.hi - lines.lo,
                     .count = part.count,
                     .to = &fabric->ops->peer(matrix->segment, fabric->rank)[block],
                     .to_line = part.line + lines.lo,
                     .to_at = part.at};
    return sct_mover_start(mover, &move);
}

/* From every other replica: this rank's share of the lines, to be added, or that replica's share,
 * to be copied. Starts with the next replica, so that not all read from one at once. */
static sct_status pull_shares(sct_mover *mover, const sct_bound *matrix, sct_work work) {
    const sct_layout *layout = matrix->layout;
    int rank = mover->context.fabric->rank, home = sct_layout_home(layout, rank);
    sct_status status = SCT_OK;
    for (int block = 0; block < sct_layout_cells(layout, rank); block++) {
        int64_t lines = sct_layout_part(layout, &matrix->slice, rank, block).lines;
        for (int i = 1; i < layout->replicas && !status; i++) {
            int replica = (home + i) % layout->replicas;
            int whose = work == SCT_DO_ADD ? home : replica;
            sct_range share = {sct_share(lines, layout->replicas, whose),
                               sct_share(lines, layout->replicas, whose + 1)};
            status = fetch_lines(mover, matrix, block, replica, share, work);
        }
    }
    sct_status finished = sct_mover_finish(mover);
    return status ? status : finished;
}

sct_status sct_replicas_sum(sct_mover *mover, const sct_bound *matrix, bool only_first) {
    int home = sct_layout_home(matrix->layout, mover->context.fabric->rank);
    sct_status status = sct_exec_meet(&mover->context, pull_shares(mover, matrix, SCT_DO_ADD),
                                      mover->stream, mover->defers);
    if (!status && (!only_first || home == 0))
        status = pull_shares(mover, matrix, SCT_DO_COPY);
    return sct_exec_meet(&mover->context, status, mover->stream, mover->defers);
}

/* Fetches all local parts from one other replica. */
static sct_status pull_all(sct_mover *mover, const sct_bound *matrix, int replica, sct_work work) {
    int rank = mover->context.fabric->rank;
    sct_status status = SCT_OK;
    for (int block = 0; block < sct_layout_cells(matrix->layout, rank) && !status; block++) {
        sct_range all = {0, sct_layout_part(matrix->layout, &matrix->slice, rank, block).lines};
        status = fetch_lines(mover, matrix, block, replica, all, work);
    }
    sct_status finished = sct_mover_finish(mover);
    return status ? status : finished;
}

sct_status sct_replicas_reduce(sct_mover *mover, const sct_bound *matrix, int origin) {
    sct_fabric *fabric = mover->context.fabric;
    bool at_origin = sct_layout_home(matrix->layout, fabric->rank) == origin;
    sct_status status = fabric->ops->barrier(fabric);
    for (int replica = 0; replica < matrix->layout->replicas && at_origin && !status; replica++)
        if (replica != origin)
            status = pull_all(mover, matrix, replica, SCT_DO_ADD);
    return sct_fabric_agree(fabric, status);
}

sct_status sct_replicas_broadcast(sct_mover *mover, const sct_bound *matrix, int origin) {
    sct_fabric *fabric = mover->context.fabric;
    sct_status status = fabric->ops->barrier(fabric);
    if (!status && sct_layout_home(matrix->layout, fabric->rank) != origin)
        status = pull_all(mover, matrix, origin, SCT_DO_COPY);
    return sct_fabric_agree(fabric, status);
}
