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

static bool can_use(const sct_mover *mover, const void *memory) {
    return mover->site.device->ops->can_use(mover->site.device, memory);
}

/* The block that a move comes from, if its owner is near. */
static const sct_memory *near_block(const sct_mover *mover, const sct_move *move) {
    const sct_fabric *fabric = mover->site.fabric;
    const sct_memory *blocks = fabric->ops->peer(move->from->segment, move->place.rank);
    return blocks ? &blocks[move->place.block] : NULL;
}

static sct_target target_of(const sct_room *part) {
    const sct_move *move = &part->move;
    return sct_bound_target(move->from, move->place, move->line + part->line, move->at + part->at,
                            part->lines, part->count);
}

static size_t pitch_of(const sct_room *part) {
    return (size_t)part->ld * sct_type_bytes(part->move.from->type);
}

/* Whether gets are in the order of the stream. */
static bool on_stream(const sct_mover *mover, const sct_move *move) {
    return sct_fabric_on_streams(mover->site.fabric, move->from->segment);
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
    if (sct_fabric_on_streams(fabric, from->segment))
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

/* Gets a part of a move into the next part of the buffer. */
static sct_status fill(sct_mover *mover, const sct_room *part) {
    sct_room *room = &mover->room[mover->next];
    sct_fabric *fabric = mover->site.fabric;
    sct_target from = target_of(part);
    sct_status status = empty(mover, room);
    if (!status) {
        *room = *part;
        room->memory = mover->buffer + (size_t)mover->next * mover->room_bytes;
        status = fabric->ops->get(fabric, &from, room->memory, pitch_of(part), &room->ticket);
        room->busy = !status;
        mover->next = (mover->next + 1) % mover->rooms;
    }
    return status;
}

/* Gets a part of a move into the buffer, before later commands of the stream. */
static sct_status get_part(sct_mover *mover, const sct_room *part) {
    sct_target from = target_of(part);
    sct_status status = get(mover, &from, part->memory, pitch_of(part));
    return status ? status : await_gets(mover);
}

/* Brings a part of a move to memory that the device can use, if it is not there. */
static sct_status bring(sct_mover *mover, sct_room *part) {
    const sct_move *move = &part->move;
    const sct_memory *near = near_block(mover, move);
    size_t bytes = sct_type_bytes(move->from->type);
    if (!near) {
        part->memory = mover->buffer;
        return get_part(mover, part);
    }
    char *from = sct_memory_at(near, move->line + part->line, move->at + part->at, bytes);
    if (can_use(mover, from)) {
        part->memory = from;
        part->ld = sct_memory_ld(near, bytes);
        return SCT_OK;
    }
    part->memory = mover->buffer;
    return sct_device_move(mover->site.device, mover->stream, part->lines,
                           (size_t)part->count * bytes, from, near->pitch, part->memory,
                           pitch_of(part));
}

/* Moves a part: its commands follow each other on the stream. What the device cannot use is in one
 * half of the buffer before, and in the other after. */
static sct_status move_part(sct_mover *mover, const sct_room *given) {
    sct_room part = *given;
    const sct_move *move = &part.move;
    size_t bytes = sct_type_bytes(move->from->type);
    bool turned = move->work == SCT_DO_TRANSPOSE;
    int64_t lines = turned ? part.count : part.lines, count = turned ? part.lines : part.count;
    char *to = sct_memory_at(move->to, move->to_line + (turned ? part.at : part.line),
                             move->to_at + (turned ? part.line : part.at), bytes);
    sct_status status = bring(mover, &part);
    if (status || can_use(mover, to))
        return status ? status
                      : submit(mover, move, part.memory, part.ld, part.line, part.at, part.lines,
                               part.count);
    sct_memory half = {mover->buffer + (size_t)(mover->rooms - 1) * mover->room_bytes,
                       (size_t)count * bytes, lines, (size_t)count * bytes};
    sct_move inner = *move;
    inner.to = &half;
    inner.to_line = inner.to_at = 0;
    status = submit(mover, &inner, part.memory, part.ld, 0, 0, part.lines, part.count);
    if (!status)
        status = sct_device_move(mover->site.device, mover->stream, lines, (size_t)count * bytes,
                                 half.base, half.pitch, to, move->to->pitch);
    return status;
}

/* The same if gets are not in the order of the stream: while nothing else uses the buffer. */
static sct_status move_part_alone(sct_mover *mover, const sct_room *part) {
    sct_status status = empty_all(mover);
    if (!status)
        status = move_part(mover, part);
    return status ? status : await_copies(mover);
}

typedef sct_status use_part(sct_mover *mover, const sct_room *part);

/* Divides a move into parts that fit into a half of the buffer. */
static sct_status by_parts(sct_mover *mover, const sct_move *move, use_part *use) {
    size_t bytes = sct_type_bytes(move->from->type);
    int64_t elements = (int64_t)(mover->buffer_bytes / bytes);
    mover->rooms = (int)sct_min(elements, SCT_MOVE_ROOMS);
    int64_t size = elements / mover->rooms;
    int64_t wide = sct_min(move->count, size), deep = size / wide;
    mover->room_bytes = (size_t)size * bytes;
    sct_status status = SCT_OK;
    for (int64_t line = 0; line < move->lines && !status; line += deep)
        for (int64_t at = 0; at < move->count && !status; at += wide) {
            sct_room part = {.move = *move,
                             .line = line,
                             .at = at,
                             .lines = sct_min(deep, move->lines - line),
                             .count = sct_min(wide, move->count - at),
                             .ld = wide};
            status = use(mover, &part);
        }
    return status;
}

static use_part *by_commands(const sct_mover *mover, const sct_move *move) {
    return on_stream(mover, move) ? move_part : move_part_alone;
}

/* Where the device can use both sides, one command does it. Otherwise bytes are moved, if they do
 * not change, or parts of the move go through the buffer. */
static sct_status start_near(sct_mover *mover, const sct_move *move, const sct_memory *block) {
    size_t bytes = sct_type_bytes(move->from->type);
    char *from = sct_memory_at(block, move->line, move->at, bytes);
    if (move->place.rank != mover->site.fabric->rank)
        *mover->site.bytes_in_place += (uint64_t)move->lines * (uint64_t)move->count * bytes;
    if (can_use(mover, from) && can_use(mover, move->to->base))
        return submit(mover, move, from, sct_memory_ld(block, bytes), 0, 0, move->lines,
                      move->count);
    if (move->work != SCT_DO_COPY || move->conjugate)
        return by_parts(mover, move, by_commands(mover, move));
    return sct_device_move(
        mover->site.device, mover->stream, move->lines, (size_t)move->count * bytes, from,
        block->pitch, sct_memory_at(move->to, move->to_line, move->to_at, bytes), move->to->pitch);
}

sct_status sct_mover_start(sct_mover *mover, const sct_move *move) {
    if (move->lines == 0 || move->count == 0)
        return SCT_OK;
    const sct_memory *near = near_block(mover, move);
    if (near)
        return start_near(mover, move, near);
    if (move->work == SCT_DO_COPY && !move->conjugate)
        return get_in_place(mover, move);
    bool fills = !on_stream(mover, move) && can_use(mover, move->to->base);
    return by_parts(mover, move, fills ? fill : by_commands(mover, move));
}

sct_status sct_mover_finish(sct_mover *mover) {
    sct_status emptied = empty_all(mover);
    sct_status copied = await_copies(mover), got = await_gets(mover);
    return emptied ? emptied : copied ? copied : got;
}
