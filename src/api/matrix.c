/* matrix.c - distributed matrices: a layout and a segment. */
#include "api/block.h"
#include "api/world.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>

static sct_status check_layout(const sct_world *world, sct_type type, const sct_layout *layout) {
    size_t bytes;
    if (!layout)
        return sct_fail(SCT_BAD_ARGUMENT, "the layout of rank %d is NULL", world->fabric->rank);
    if (layout->ranks > world->fabric->size)
        return sct_fail(SCT_BAD_ARGUMENT, "the layout uses %d ranks, but the world has %d",
                        layout->ranks, world->fabric->size);
    if (sct_type_valid(type) && !sct_world_has(world, type))
        return sct_fail(SCT_BAD_ARGUMENT, "the device of rank %d (%s) has no numbers of type %s",
                        world->fabric->rank, world->device->ops->name,
                        sct_type_name(sct_type_part(type)));
    sct_status status = sct_layout_bytes(layout, type, world->fabric->rank, &bytes);
    int64_t most = world->device->most_elements;
    if (status || most == 0 || bytes / sct_type_bytes(type) <= (size_t)most)
        return status;
    return sct_fail(SCT_TOO_LARGE,
                    "rank %d would store %zu elements, but its device (%s) reaches %lld",
                    world->fabric->rank, bytes / sct_type_bytes(type), world->device->ops->name,
                    (long long)most);
}

bool sct_world_has(const sct_world *world, sct_type type) {
    return !world->device->lacks_f64 || sct_type_part(type) != SCT_F64;
}

bool sct_world_reaches(const sct_world *world, const void *memory, size_t bytes) {
    sct_device *device = world->device;
    if (device->space == SCT_SPACE_HOST)
        return true;
    if (!device->ops->can_use(device, memory))
        return sct_memory_is_mapped(memory, bytes);
    return device->ops->can_use(device, (const char *)memory + bytes - 1);
}

bool sct_world_aligns(const sct_world *world, sct_type type, const void *memory) {
    sct_device *device = world->device;
    return device->space == SCT_SPACE_HOST || (uintptr_t)memory % sct_type_bytes(type) == 0 ||
           !device->ops->can_use(device, memory);
}

/* Fails for memory of other devices. */
static sct_status check_reach(const sct_world *world, sct_type type, int cells,
                              const sct_memory *memory) {
    for (int i = 0; i < cells; i++) {
        const sct_memory *m = &memory[i];
        bool empty = !m->base || m->lines == 0 || m->width == 0;
        if (!empty &&
            !sct_world_reaches(world, m->base, (size_t)(m->lines - 1) * m->pitch + m->width))
            return sct_fail(SCT_BAD_ARGUMENT,
                            "block %d is memory neither of the host nor of the device of rank %d",
                            i, world->fabric->rank);
        if (!empty && !sct_world_aligns(world, type, m->base))
            return sct_fail(SCT_BAD_ARGUMENT,
                            "block %d is not aligned to its elements, as the device of rank %d "
                            "needs it",
                            i, world->fabric->rank);
    }
    return SCT_OK;
}

/* Assigns the caller's blocks to the cells. */
static sct_status place_blocks(const sct_layout *layout, sct_type type, int cells, int count,
                               const sct_block *blocks, sct_memory *memory) {
    char name[32];
    size_t bytes = sct_type_bytes(type);
    if (count != cells)
        return sct_fail(SCT_BAD_ARGUMENT, "%d block%s given, but the rank has %d", count,
                        count == 1 ? "" : "s", cells);
    for (int i = 0; i < cells; i++) {
        sct_block block = blocks[i];
        int64_t lines = sct_block_lines(&block), size = sct_block_length(&block);
        block.ld = block.ld ? block.ld : size;
        if (block.order != layout->order)
            return sct_fail(SCT_BAD_ARGUMENT,
                            "block %d does not have the storage order of the layout", i);
        if (lines != memory[i].lines || (size_t)size * bytes != memory[i].width)
            return sct_fail(SCT_BAD_ARGUMENT,
                            "block %d is %lld x %lld, which is not its size in the layout", i,
                            (long long)block.rows, (long long)block.cols);
        bool empty = lines == 0 || size == 0;
        snprintf(name, sizeof name, "block %d", i);
        sct_status status = empty ? SCT_OK : sct_block_check_ld(name, type, &block);
        if (status)
            return status;
        if ((uintptr_t)block.data % sct_type_bytes(sct_type_part(type)) != 0)
            return sct_fail(SCT_BAD_ARGUMENT, "block %d is not aligned to its elements", i);
        memory[i].base = block.data;
        memory[i].pitch = empty ? 0 : (size_t)block.ld * bytes;
    }
    return SCT_OK;
}

static sct_status prepare(sct_world *world, sct_type type, const sct_layout *layout,
                          const char *verb, sct_request_text *request, sct_matrix **matrix,
                          sct_memory **memory) {
    *request = sct_request_begin(verb);
    *matrix = NULL;
    *memory = NULL;
    sct_status status = check_layout(world, type, layout);
    if (status)
        return status;
    sct_request_add_word(request, "type", sct_type_name(type));
    sct_request_add_number(request, "rows", layout->rows.extent);
    sct_request_add_number(request, "cols", layout->cols.extent);
    sct_request_add_layout(request, "layout", layout);
    int rank = world->fabric->rank;
    *matrix = calloc(1, sizeof **matrix);
    *memory = calloc((size_t)sct_layout_cells(layout, rank) + 1, sizeof **memory);
    if (!*matrix || !*memory)
        return sct_no_memory("a matrix");
    sct_bound_shape(layout, type, rank, *memory);
    **matrix = (sct_matrix){.world = world, .type = type, .layout = layout};
    return SCT_OK;
}

/* The state of this rank's part in memory that the caller gave. */
static char state_of(sct_device *device, int cells, const sct_memory *memory) {
    char state = PART_PRESENT;
    for (int i = 0; i < cells; i++) {
        if (memory[i].lines == 0 || memory[i].width == 0)
            continue;
        if (!memory[i].base)
            return PART_MISSING;
        if (!device->ops->can_use(device, memory[i].base))
            state = PART_OF_HOST;
    }
    return state;
}

/* Collective. A rank learns which others wrapped NULL, since it may ask for their tiles. */
static sct_status gather_states(sct_matrix *matrix) {
    sct_fabric *fabric = matrix->world->fabric;
    matrix->states = malloc((size_t)fabric->size);
    sct_status status =
        sct_fabric_agree(fabric, matrix->states ? SCT_OK : sct_no_memory("a matrix"));
    return status ? status
                  : fabric->ops->exchange(fabric, &matrix->state, sizeof matrix->state,
                                          matrix->states);
}

/* Collective. */
static sct_status wrap(sct_matrix *matrix, int cells, const sct_memory *memory) {
    sct_fabric *fabric = matrix->world->fabric;
    matrix->state = state_of(matrix->world->device, cells, memory);
    uint64_t no_rank[] = {matrix->state != PART_MISSING, matrix->state != PART_OF_HOST};
    sct_status status = fabric->ops->reduce(fabric, SCT_LEAST, no_rank, 2);
    matrix->needs_copy = !no_rank[1];
    if (!status && !no_rank[0])
        status = gather_states(matrix);
    return status ? status : fabric->ops->segment_wrap(fabric, cells, memory, &matrix->segment);
}

static void discard(sct_matrix *matrix) {
    if (matrix)
        free(matrix->states);
    free(matrix);
}

/* The last step of making a matrix. blocks == NULL: the fabric allocates. */
static sct_status make(sct_world *world, sct_type type, const sct_layout *layout, const char *verb,
                       int count, const sct_block *blocks, sct_matrix **matrix) {
    sct_request_text request;
    sct_matrix *made;
    sct_memory *memory;
    sct_status status = sct_check_given("world", world);
    if (status)
        return status;
    status = prepare(world, type, layout, verb, &request, &made, &memory);
    if (!status)
        status = sct_check_given("matrix", matrix);
    sct_fabric *fabric = world->fabric;
    int cells = status ? 0 : sct_layout_cells(layout, fabric->rank);
    if (!status && blocks)
        status = place_blocks(layout, type, cells, count, blocks, memory);
    if (!status && blocks)
        status = check_reach(world, type, cells, memory);
    sct_fabric_enter(fabric);
    status = sct_world_agree(world, status, &request);
    if (!status)
        status = blocks ? wrap(made, cells, memory)
                        : fabric->ops->segment_open(fabric, cells, memory, &made->segment);
    sct_fabric_leave(fabric, status);
    free(memory);
    if (status) {
        discard(made);
        return status;
    }
    sct_layout_hold(layout);
    made->number = ++world->matrices;
    made->alike = request.hash;
    *matrix = made;
    return SCT_OK;
}

sct_status sct_matrix_create(sct_world *world, sct_type type, const sct_layout *layout,
                             sct_matrix **matrix) {
    return make(world, type, layout, "create", 0, NULL, matrix);
}

sct_status sct_matrix_wrap(sct_world *world, sct_type type, const sct_layout *layout, void *part,
                           int64_t ld, sct_matrix **matrix) {
    sct_block block = {.data = part, .ld = ld};
    int cells = layout && world ? sct_layout_cells(layout, world->fabric->rank) : 0;
    if (cells == 1) {
        sct_cell cell = sct_layout_cell(layout, world->fabric->rank, 0);
        block.rows = sct_axis_class_size(&layout->rows, cell.row);
        block.cols = sct_axis_class_size(&layout->cols, cell.col);
        block.order = layout->order;
    }
    return make(world, type, layout, "wrap", cells > 0, &block, matrix);
}

sct_status sct_matrix_wrap_blocks(sct_world *world, sct_type type, const sct_layout *layout,
                                  int count, const sct_block *blocks, sct_matrix **matrix) {
    static const sct_block none;
    return make(world, type, layout, "wrap", blocks ? count : 0, blocks ? blocks : &none, matrix);
}

void sct_matrix_destroy(sct_matrix *matrix) {
    if (!matrix)
        return;
    sct_fabric *fabric = matrix->world->fabric;
    sct_fabric_enter(fabric);
    sct_recent_forget(&matrix->world->recent, matrix);
    fabric->ops->segment_close(matrix->segment);
    sct_fabric_leave(fabric, SCT_OK);
    sct_layout_destroy((sct_layout *)matrix->layout);
    discard(matrix);
}

const sct_layout *sct_matrix_layout(const sct_matrix *matrix) {
    return matrix->layout;
}

sct_type sct_matrix_type(const sct_matrix *matrix) {
    return matrix->type;
}

int sct_matrix_ranks_per_node(const sct_matrix *matrix) {
    const sct_fabric *fabric = matrix->world->fabric;
    return matrix->needs_copy ? fabric->ranks_per_node : fabric->ops->per_node(matrix->segment);
}

sct_space sct_matrix_space(const sct_matrix *matrix) {
    return matrix->state == PART_OF_HOST ? SCT_SPACE_HOST : matrix->world->device->space;
}
