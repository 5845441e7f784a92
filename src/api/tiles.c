/* tiles.c - the tile primitives: look up, point to, get and accumulate blocks of a matrix; and
 * operations on whole replicas. */
#include "api/block.h"
#include "api/world.h"

#include "base/checked.h"
#include "base/status.h"
#include "exec/copy.h"
#include "exec/scratch.h"

#include <assert.h>
#include <stdlib.h>

sct_tile sct_matrix_grid_shape(const sct_matrix *matrix) {
    return (sct_tile){matrix->layout->rows.blocks, matrix->layout->cols.blocks};
}

static sct_status check_tile(const sct_matrix *matrix, sct_tile tile, const void *result) {
    sct_status status = sct_check_given("matrix", matrix);
    if (!status)
        status = sct_check_output("result", result);
    if (status)
        return status;
    sct_tile shape = sct_matrix_grid_shape(matrix);
    if (tile.row >= 0 && tile.row < shape.row && tile.col >= 0 && tile.col < shape.col)
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT, "tile (%lld, %lld) is not one of the %lld x %lld tiles",
                    (long long)tile.row, (long long)tile.col, (long long)shape.row,
                    (long long)shape.col);
}

static sct_status check_replica(const sct_matrix *matrix, int replica) {
    if (replica >= 0 && replica < matrix->layout->replicas)
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT, "replica %d is not between 0 and %d", replica,
                    matrix->layout->replicas - 1);
}

static sct_slice bounds_of(const sct_matrix *matrix, sct_tile tile) {
    return (sct_slice){sct_axis_bounds(&matrix->layout->rows, tile.row),
                       sct_axis_bounds(&matrix->layout->cols, tile.col)};
}

sct_status sct_matrix_tile_bounds(const sct_matrix *matrix, sct_tile tile, sct_slice *bounds) {
    sct_status status = check_tile(matrix, tile, bounds);
    if (!status)
        *bounds = bounds_of(matrix, tile);
    return status;
}

static sct_range blocks_in(const sct_axis *axis, sct_range range) {
    if (range.lo == range.hi)
        return (sct_range){0, 0};
    return (sct_range){sct_axis_block(axis, range.lo), sct_axis_block(axis, range.hi - 1) + 1};
}

sct_status sct_matrix_overlapping_tiles(const sct_matrix *matrix, sct_slice slice,
                                        sct_slice *tiles) {
    sct_view view = {(sct_matrix *)matrix, slice};
    sct_status status = sct_check_output("tiles", tiles);
    if (!status)
        status = sct_view_check(matrix ? matrix->world : NULL, "slice", view);
    if (status)
        return status;
    assert(matrix);
    *tiles = (sct_slice){blocks_in(&matrix->layout->rows, slice.rows),
                         blocks_in(&matrix->layout->cols, slice.cols)};
    return SCT_OK;
}

int sct_matrix_my_replica(const sct_matrix *matrix) {
    return sct_layout_home(matrix->layout, matrix->world->fabric->rank);
}

/* A tile as a rectangle of its owner's block. */
static sct_target find_tile(const sct_matrix *matrix, sct_tile tile, int replica) {
    const sct_layout *layout = matrix->layout;
    sct_cell cell = {sct_axis_owner(&layout->rows, tile.row),
                     sct_axis_owner(&layout->cols, tile.col)};
    bool by_rows = layout->order == SCT_ROW_MAJOR;
    const sct_axis *lines = by_rows ? &layout->rows : &layout->cols;
    const sct_axis *within = by_rows ? &layout->cols : &layout->rows;
    int64_t line = by_rows ? tile.row : tile.col, at = by_rows ? tile.col : tile.row;
    sct_bound bound = {.type = matrix->type, .segment = matrix->segment};
    return sct_bound_target(&bound, sct_layout_place(layout, replica, cell),
                            sct_axis_position(lines, line), sct_axis_position(within, at),
                            sct_range_length(sct_axis_bounds(lines, line)),
                            sct_range_length(sct_axis_bounds(within, at)));
}

static sct_status locate(const sct_matrix *matrix, sct_tile tile, int replica, const void *result,
                         sct_target *target) {
    sct_status status = check_tile(matrix, tile, result);
    if (!status && replica == SCT_HERE)
        replica = sct_matrix_my_replica(matrix);
    if (!status)
        status = check_replica(matrix, replica);
    if (!status)
        *target = find_tile(matrix, tile, replica);
    return status;
}

/* The same for a tile whose memory is needed. */
static sct_status locate_memory(const sct_matrix *matrix, sct_tile tile, int replica,
                                const void *result, sct_target *target) {
    sct_status status = locate(matrix, tile, replica, result, target);
    return status ? status : sct_matrix_present("matrix", matrix, target->rank);
}

sct_status sct_matrix_tile_owner(const sct_matrix *matrix, sct_tile tile, int replica, int *rank) {
    sct_target target;
    sct_status status = locate(matrix, tile, replica, rank, &target);
    if (!status)
        *rank = target.rank;
    return status;
}

sct_status sct_matrix_tile(const sct_matrix *matrix, sct_tile tile, int replica, sct_block *block) {
    sct_target target;
    sct_status status = locate_memory(matrix, tile, replica, block, &target);
    if (status)
        return status;
    const sct_memory *memory = matrix->world->fabric->ops->peer(matrix->segment, target.rank);
    if (!memory)
        return sct_fail(SCT_UNREACHABLE, "rank %d cannot point to the memory of rank %d",
                        matrix->world->fabric->rank, target.rank);
    memory += target.block;
    size_t bytes = sct_type_bytes(matrix->type);
    sct_slice bounds = bounds_of(matrix, tile);
    *block = (sct_block){.data = memory->base + (size_t)target.part.line * memory->pitch +
                                 target.part.byte,
                         .ld = sct_memory_ld(memory, bytes),
                         .rows = sct_range_length(bounds.rows),
                         .cols = sct_range_length(bounds.cols),
                         .order = matrix->layout->order};
    return SCT_OK;
}

sct_status sct_matrix_blocks(const sct_matrix *matrix, int most, sct_block *blocks, int *count) {
    sct_status status = sct_check_given("matrix", matrix);
    if (!status)
        status = sct_check_output("count", count);
    if (!status && most > 0)
        status = sct_check_output("blocks", blocks);
    if (status)
        return status;
    const sct_layout *layout = matrix->layout;
    int rank = matrix->world->fabric->rank;
    const sct_memory *memory = matrix->world->fabric->ops->peer(matrix->segment, rank);
    *count = sct_layout_cells(layout, rank);
    for (int i = 0; i < *count && i < most; i++) {
        sct_cell cell = sct_layout_cell(layout, rank, i);
        blocks[i] = (sct_block){.data = memory[i].base,
                                .ld = sct_memory_ld(&memory[i], sct_type_bytes(matrix->type)),
                                .rows = sct_axis_class_size(&layout->rows, cell.row),
                                .cols = sct_axis_class_size(&layout->cols, cell.col),
                                .order = layout->order};
    }
    return SCT_OK;
}

/* Checks that a block can hold a tile; returns the distance of its lines in bytes. */
static sct_status fit_block(const sct_matrix *matrix, sct_tile tile, const sct_block *block,
                            size_t *pitch) {
    sct_slice bounds;
    sct_status status = sct_check_given("block", block);
    if (!status)
        status = sct_matrix_tile_bounds(matrix, tile, &bounds);
    if (status)
        return status;
    int64_t rows = sct_range_length(bounds.rows), cols = sct_range_length(bounds.cols);
    bool by_rows = matrix->layout->order == SCT_ROW_MAJOR;
    if (block->rows != rows || block->cols != cols || block->order != matrix->layout->order)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "the block is not %lld x %lld and %s-major, as the tile is",
                        (long long)rows, (long long)cols, by_rows ? "row" : "column");
    status = sct_block_check_memory("the block", block);
    if (!status)
        status = sct_block_check_ld("the block", matrix->type, block);
    if (status)
        return status;
    *pitch = (size_t)block->ld * sct_type_bytes(matrix->type);
    int64_t lines = sct_block_lines(block), length = sct_block_length(block);
    size_t bytes = (size_t)((lines - 1) * block->ld + length) * sct_type_bytes(matrix->type);
    bool empty = lines == 0 || length == 0;
    if (!empty && !sct_world_reaches(matrix->world, block->data, bytes))
        return sct_fail(SCT_BAD_ARGUMENT,
                        "the block is memory neither of the host nor of the device of rank %d",
                        matrix->world->fabric->rank);
    if (!empty && !sct_world_aligns(matrix->world, matrix->type, block->data))
        return sct_fail(SCT_BAD_ARGUMENT,
                        "the block is not aligned to its elements, as the device needs it");
    return SCT_OK;
}

sct_status sct_matrix_get_tile_async(sct_matrix *matrix, sct_tile tile, int replica,
                                     const sct_block *to, sct_request *request) {
    sct_target from;
    size_t pitch = 0;
    sct_status status = locate_memory(matrix, tile, replica, request, &from);
    if (!status)
        status = fit_block(matrix, tile, to, &pitch);
    if (status)
        return status;
    sct_fabric *fabric = matrix->world->fabric;
    sct_event reached;
    sct_fabric_enter(fabric);
    status = sct_fabric_get(fabric, NULL, &from, to->data, pitch, &reached);
    if (!sct_fabric_leave(fabric, status))
        *request = (sct_request){matrix->world, reached.ops, reached.of, reached.number};
    return status;
}

sct_status sct_wait(sct_request request) {
    sct_status status = sct_check_given("the request's world", request.world);
    if (status)
        return status;
    sct_fabric *fabric = request.world->fabric;
    sct_event event = {request.kind, request.of, request.number};
    sct_fabric_enter(fabric);
    return sct_fabric_leave(fabric, sct_event_wait(event));
}

sct_status sct_matrix_get_tile(sct_matrix *matrix, sct_tile tile, int replica,
                               const sct_block *to) {
    sct_request request;
    sct_status status = sct_matrix_get_tile_async(matrix, tile, replica, to, &request);
    return status ? status : sct_wait(request);
}

sct_status sct_matrix_put_tile(sct_matrix *matrix, sct_tile tile, int replica,
                               const sct_block *from) {
    sct_block to;
    size_t pitch = 0;
    int owner = 0;
    sct_status status = sct_matrix_tile_owner(matrix, tile, replica, &owner);
    if (!status)
        status = fit_block(matrix, tile, from, &pitch);
    if (!status && owner != sct_world_rank(matrix->world))
        status = sct_fail(SCT_UNREACHABLE, "rank %d stores the tile, not rank %d", owner,
                          sct_world_rank(matrix->world));
    if (!status)
        status = sct_matrix_tile(matrix, tile, replica, &to);
    if (status)
        return status;
    size_t bytes = sct_type_bytes(matrix->type);
    sct_world *world = matrix->world;
    status = sct_device_move(world->device, world->stream, sct_block_lines(&to),
                             (size_t)sct_block_length(&to) * bytes, from->data, pitch, to.data,
                             (size_t)to.ld * bytes);
    return status ? status : sct_device_drain(world->device, world->stream);
}

/* Refuses to add values that are already rounded. */
static sct_status check_sums(const sct_matrix *matrix) {
    if (sct_type_sum(matrix->type) == matrix->type)
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT, "elements of type %s cannot be accumulated: use %s",
                    sct_type_name(matrix->type), sct_type_name(sct_type_sum(matrix->type)));
}

sct_status sct_matrix_accumulate_tile_async(sct_matrix *matrix, sct_tile tile, int replica,
                                            const sct_block *from, sct_request *request) {
    sct_target to;
    size_t pitch = 0;
    sct_status status = locate_memory(matrix, tile, replica, request, &to);
    if (!status)
        status = fit_block(matrix, tile, from, &pitch);
    if (!status)
        status = check_sums(matrix);
    if (status)
        return status;
    sct_fabric *fabric = matrix->world->fabric;
    sct_event reached;
    sct_fabric_enter(fabric);
    status = sct_fabric_accumulate(fabric, NULL, matrix->type, from->data, pitch, &to, &reached);
    if (!sct_fabric_leave(fabric, status))
        *request = (sct_request){matrix->world, reached.ops, reached.of, reached.number};
    return status;
}

sct_status sct_matrix_accumulate_tile(sct_matrix *matrix, sct_tile tile, int replica,
                                      const sct_block *from) {
    sct_request request;
    sct_status status = sct_matrix_accumulate_tile_async(matrix, tile, replica, from, &request);
    return status ? status : sct_wait(request);
}

typedef sct_status replicas_call(sct_mover *mover, const sct_bound *bound, int origin);

/* Collective. Where the matrix is memory of the host, calls with a copy on the device. */
static sct_status call_with_copy(sct_mover *mover, sct_view view, int origin, replicas_call *call) {
    sct_bound given = sct_matrix_bind(view), copy;
    sct_status status = sct_device_copy_open(&mover->context, &given, &copy);
    if (status)
        return status;
    status = sct_fabric_agree(mover->context.fabric,
                              sct_device_copy_load(&mover->context, &given, &copy, mover->stream));
    if (!status)
        status = call(mover, &copy, origin);
    if (!status && given.needs_copy)
        status =
            sct_fabric_agree(mover->context.fabric,
                             sct_device_copy_store(&mover->context, &copy, &given, mover->stream));
    sct_device_copy_close(&mover->context, &given, &copy, !status);
    return status;
}

static sct_status with_replicas(sct_matrix *matrix, int origin, const char *verb,
                                replicas_call *call) {
    sct_status status = sct_check_given("matrix", matrix);
    if (status)
        return status;
    sct_world *world = matrix->world;
    sct_request_text request = sct_request_begin(verb);
    sct_request_add_number(&request, "matrix", (int64_t)matrix->number);
    sct_request_add_number(&request, "origin", origin);
    sct_mover *mover = calloc(1, sizeof *mover);
    status = mover ? SCT_OK : sct_no_memory("a copy of replicas");
    if (!status && call == sct_replicas_reduce)
        status = check_sums(matrix);
    if (!status)
        status = check_replica(matrix, origin);
    if (!status)
        status = sct_view_present("matrix", sct_whole(matrix));
    if (!status)
        status = sct_world_open_mover(world, matrix, 0, mover);
    sct_fabric_enter(world->fabric);
    status = sct_world_agree(world, status, &request);
    if (!status)
        status = call_with_copy(mover, sct_whole(matrix), origin, call);
    if (mover)
        sct_world_close_mover(mover);
    free(mover);
    return sct_fabric_leave(world->fabric, status);
}

sct_status sct_matrix_broadcast_replica(sct_matrix *matrix, int origin) {
    return with_replicas(matrix, origin, "broadcast replica", sct_replicas_broadcast);
}

sct_status sct_matrix_reduce_replicas(sct_matrix *matrix, int origin) {
    return with_replicas(matrix, origin, "reduce replicas", sct_replicas_reduce);
}
