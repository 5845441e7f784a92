/* move.c - moves rectangles, near or far. */
#include "exec/move.h"

#include "base/checked.h"

/* Submits a part of a move, which begins `line` lines and `at` elements into it, from memory
 * `from`. */
static sct_status submit(sct_mover *mover, const sct_move *move, const void *from, int64_t from_ld,
                         int64_t line, int64_t at, int64_t lines, int64_t count) {
    bool turned = move->work == SCT_DO_TRANSPOSE;
    size_t bytes = sct_type_bytes(move->from->type);
    sct_command command = {
        .work = move->work,
        .type = move->from->type,
        .strided = {.lines = lines,
                    .count = count,
                    .from = from,
                    .from_ld = from_ld,
                    .to = sct_memory_at(move->to, move->to_line + (turned ? at : line),
                                        move->to_at + (turned ? line : at), bytes),
                    .to_ld = sct_memory_ld(move->to, bytes),
                    .conjugate = move->conjugate}};
    return mover->site.device->ops->submit(mover->stream, &command);
}

static sct_status await_copies(sct_mover *mover) {
    return sct_device_drain(mover->site.device, mover->stream);
}

static sct_status await_gets(sct_mover *mover) {
    sct_fabric *fabric = mover->site.fabric;
    sct_status status = SCT_OK;
    while (mover->tickets > 0) {
        sct_status waited = fabric->ops->wait(fabric, mover->ticket[--mover->tickets]);
        status = status ? status : waited;
    }
    return status;
}

static sct_status get(sct_mover *mover, const sct_target *from, void *to, size_t pitch) {
    sct_fabric *fabric = mover->site.fabric;
    if (fabric->ops->get_on)
        return fabric->ops->get_on(fabric, mover->stream, from, to, pitch);
    sct_status status = mover->tickets == SCT_MOST_MOVES ? await_gets(mover) : SCT_OK;
    if (!status)
        status = fabric->ops->get(fabric, from, to, pitch, &mover->ticket[mover->tickets]);
    mover->tickets += !status;
    return status;
}

static sct_status get_in_place(sct_mover *mover, const sct_move *move) {
    sct_target from =
        sct_bound_target(move->from, move->place, move->line, move->at, move->lines, move->count);
    size_t bytes = sct_type_bytes(move->from->type);
    return get(mover, &from, sct_memory_at(move->to, move->to_line, move->to_at, bytes),
               move->to->pitch);
}

/* Waits for the get into a part of the buffer, and processes it. */
static sct_status empty(sct_mover *mover, sct_room *room) {
    if (!room->busy)
        return SCT_OK;
    room->busy = false;
    sct_status status = mover->site.fabric->ops->wait(mover->site.fabric, room->ticket);
    if (!status)
        status = submit(mover, &room->move, room->memory, room->ld, room->line, room->at,
                        room->lines, room->count);
    return status ? status : await_copies(mover);
}

static sct_status empty_all(sct_mover *mover) {
    sct_status status = SCT_OK;
    for (int i = 0; i < SCT_MOVE_ROOMS; i++) {
        sct_status emptied = empty(mover, &mover->room[(mover->next + i) % SCT_MOVE_ROOMS]);
        status = status ? status : emptied;
    }
    return status;
}

/* Gets a part of a move into the next part of the buffer. If gets are on the stream, so is what
 * follows them, and the buffer is free for the next. */
static sct_status fill(sct_mover *mover, int rooms, const sct_room *part) {
    sct_room *room = &mover->room[mover->next];
    sct_fabric *fabric = mover->site.fabric;
    const sct_move *move = &part->move;
    sct_target from = sct_bound_target(move->from, move->place, move->line + part->line,
                                       move->at + part->at, part->lines, part->count);
    sct_status status = empty(mover, room);
    size_t pitch = (size_t)part->ld * sct_type_bytes(move->from->type);
    if (fabric->ops->get_on) {
        status = fabric->ops->get_on(fabric, mover->stream, &from, part->memory, pitch);
        return status ? status
                      : submit(mover, move, part->memory, part->ld, part->line, part->at,
                               part->lines, part->count);
    }
    if (!status) {
        *room = *part;
        status = fabric->ops->get(fabric, &from, room->memory, pitch, &room->ticket);
        room->busy = !status;
        mover->next = (mover->next + 1) % rooms;
    }
    return status;
}

static sct_status get_by_buffer(sct_mover *mover, const sct_move *move) {
    size_t bytes = sct_type_bytes(move->from->type);
    int64_t elements = (int64_t)(mover->buffer_bytes / bytes);
    int rooms = (int)sct_min(elements, SCT_MOVE_ROOMS);
    int64_t size = elements / rooms;
    int64_t wide = sct_min(move->count, size), deep = size / wide;
    sct_status status = SCT_OK;
    for (int64_t line = 0; line < move->lines && !status; line += deep)
        for (int64_t at = 0; at < move->count && !status; at += wide) {
            sct_room part = {.move = *move,
                             .line = line,
                             .at = at,
                             .lines = sct_min(deep, move->lines - line),
                             .count = sct_min(wide, move->count - at),
                             .ld = wide,
                             .memory = mover->buffer + (size_t)(mover->next * size) * bytes};
            status = fill(mover, rooms, &part);
        }
    return status;
}

sct_status sct_mover_start(sct_mover *mover, const sct_move *move) {
    if (move->lines == 0 || move->count == 0)
        return SCT_OK;
    sct_fabric *fabric = mover->site.fabric;
    size_t bytes = sct_type_bytes(move->from->type);
    const sct_memory *near = fabric->ops->peer(move->from->segment, move->place.rank);
    if (near) {
        const sct_memory *block = &near[move->place.block];
        if (move->place.rank != fabric->rank)
            *mover->site.bytes_in_place += (uint64_t)move->lines * (uint64_t)move->count * bytes;
        return submit(mover, move, sct_memory_at(block, move->line, move->at, bytes),
                      sct_memory_ld(block, bytes), 0, 0, move->lines, move->count);
    }
    if (move->work == SCT_DO_COPY && !move->conjugate)
        return get_in_place(mover, move);
    return get_by_buffer(mover, move);
}

sct_status sct_mover_finish(sct_mover *mover) {
    sct_status emptied = empty_all(mover);
    sct_status copied = await_copies(mover), got = await_gets(mover);
    return emptied ? emptied : copied ? copied : got;
}
