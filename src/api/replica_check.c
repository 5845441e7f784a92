/* replica_check.c - checks in debug builds that the replicas of a matrix are equal. */
#include "api/world.h"

#include "base/checked.h"
#include "base/hash.h"
#include "base/status.h"

#include <stdlib.h>

/* The line of a part as the host can read it: in place, or moved into the buffer. */
static const void *read_line(sct_world *world, sct_space space, const void *at, size_t bytes,
                             void *buffer, sct_status *status) {
    if (space == SCT_SPACE_HOST)
        return at;
    if (!*status)
        *status = sct_device_move(world->device, world->stream, 1, bytes, at, bytes, buffer, bytes);
    if (!*status)
        *status = sct_device_drain(world->device, world->stream);
    return buffer;
}

/* The hash of this rank's parts of a view. */
static sct_status hash_parts(sct_world *world, sct_view view, void *buffer, uint64_t *result) {
    const sct_fabric *fabric = world->fabric;
    const sct_layout *layout = view.matrix->layout;
    const sct_memory *own = fabric->ops->peer(view.matrix->segment, fabric->rank);
    size_t bytes = sct_type_bytes(view.matrix->type);
    sct_space space = sct_matrix_space(view.matrix);
    uint64_t hash = sct_hash_of_nothing;
    sct_status status = SCT_OK;
    for (int block = 0; block < sct_layout_cells(layout, fabric->rank); block++) {
        sct_part part = sct_layout_part(layout, &view.slice, fabric->rank, block);
        for (int64_t line = 0; line < part.lines; line++) {
            size_t length = (size_t)part.count * bytes;
            const void *at = sct_memory_at(&own[block], part.line + line, part.at, bytes);
            hash =
                sct_hash_more(hash, read_line(world, space, at, length, buffer, &status), length);
        }
    }
    *result = hash;
    return status;
}

/* The rank that stores in replica 0 what `rank` stores in its replica. */
static int counterpart(const sct_layout *layout, int rank) {
    if (sct_layout_cells(layout, rank) == 0)
        return rank;
    return sct_layout_place(layout, 0, sct_layout_cell(layout, rank, 0)).rank;
}

sct_status sct_view_check_replicas(const char *name, sct_view view) {
    sct_world *world = view.matrix->world;
    sct_fabric *fabric = world->fabric;
    if (view.matrix->layout->replicas == 1)
        return SCT_OK;
    const sct_layout *layout = view.matrix->layout;
    size_t longest = (size_t)sct_max(layout->rows.extent, layout->cols.extent);
    uint64_t mine = 0, *all = malloc((size_t)fabric->size * sizeof *all);
    void *line = calloc(longest + 1, sct_type_bytes(view.matrix->type));
    sct_status status =
        all && line ? SCT_OK : sct_fail(SCT_NO_MEMORY, "no memory to compare replicas");
    if (!status)
        status = hash_parts(world, view, line, &mine);
    if (!(status = sct_fabric_agree(fabric, status)))
        status = fabric->ops->exchange(fabric, &mine, sizeof mine, all);
    for (int rank = 0; rank < fabric->size && !status; rank++) {
        int other = counterpart(view.matrix->layout, rank);
        if (all[rank] != all[other])
            status = sct_fail(SCT_BAD_ARGUMENT, "%s: its replicas differ, on ranks %d and %d", name,
                              other, rank);
    }
    free(line);
    free(all);
    return status;
}
