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

/* A failed command is known to its stream. */
static sct_status await_copies(sct_mover *mover) {
    sct_stream *const streams[] = {mover->fills, mover->stream, mover->empties};
    sct_status status = SCT_OK;
    for (int i = 0; i < 3; i++) {
        sct_status drained = streams[i] ? sct_device_drain(mover->site.device, streams[i]) : SCT_OK;
        status = status ? status : drained;
    }
    return status;
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

static sct_status get(sct_mover *mover, sct_stream *stream, const sct_target *from, void *to,
                      size_t pitch) {
    sct_fabric *fabric = mover->site.fabric;
    if (sct_fabric_on_streams(fabric, from->segment))
        return fabric->ops->get_on(fabric, stream, from, to, pitch);
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
    return get(mover, mover->stream, &from,
               sct_memory_at(move->to, move->to_line, move->to_at, bytes), move->to->pitch);
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

/* ---- Parts by way of the buffer, in the order of streams ---- */

/* Deferred moves are all on one stream, whose end is theirs. */
static sct_status open_stream(const sct_mover *mover, sct_stream **stream) {
    sct_device *device = mover->site.device;
    if (mover->defers)
        *stream = mover->stream;
    return *stream ? SCT_OK : device->ops->stream_open(device, stream);
}

/* Has a stream go on after what was submitted to another. */
static sct_status follow(const sct_mover *mover, sct_stream *stream, sct_stream *first) {
    const sct_device_ops *ops = mover->site.device->ops;
    return ops->follow(stream, ops->record(first));
}

static int take_room(sct_mover *mover) {
    int taken = mover->next;
    mover->next = (mover->next + 1) % mover->rooms;
    return taken;
}

static char *room_memory(const sct_mover *mover, int room) {
    return mover->buffer + (size_t)room * mover->room_bytes;
}

/* Copies a part as it is. */
static sct_status load(sct_mover *mover, const sct_room *part, const sct_memory *near) {
    const sct_move *move = &part->move;
    size_t bytes = sct_type_bytes(move->from->type);
    if (near)
        return sct_device_move(
            mover->site.device, mover->fills, part->lines, (size_t)part->count * bytes,
            sct_memory_at(near, move->line + part->line, move->at + part->at, bytes), near->pitch,
            part->memory, pitch_of(part));
    sct_target from = target_of(part);
    sct_status status = get(mover, mover->fills, &from, part->memory, pitch_of(part));
    return status ? status : await_gets(mover);
}

/* Brings a part of a move to memory that the device can use, if it is not there: to a room, whose
 * number is returned, or else -1. */
static sct_status bring(sct_mover *mover, sct_room *part, int *room) {
    const sct_move *move = &part->move;
    const sct_memory *near = near_block(mover, move);
    size_t bytes = sct_type_bytes(move->from->type);
    *room = -1;
    if (near && can_use(mover, near->base)) {
        part->memory = sct_memory_at(near, move->line + part->line, move->at + part->at, bytes);
        part->ld = sct_memory_ld(near, bytes);
        return SCT_OK;
    }
    sct_status status = open_stream(mover, &mover->fills);
    if (status)
        return status;
    *room = take_room(mover);
    part->memory = room_memory(mover, *room);
    status = mover->site.device->ops->follow(mover->fills, mover->emptied[*room]);
    if (!status)
        status = load(mover, part, near);
    return status ? status : follow(mover, mover->stream, mover->fills);
}

/* Moves what commands have left in a room to memory that they cannot use. */
static sct_status send(sct_mover *mover, int room, const sct_memory *half, void *to, size_t pitch) {
    sct_device *device = mover->site.device;
    sct_status status = follow(mover, mover->empties, mover->stream);
    if (!status)
        status = sct_device_move(device, mover->empties, half->lines, half->width, half->base,
                                 half->pitch, to, pitch);
    mover->emptied[room] = device->ops->record(mover->empties);
    return status;
}

/* Processes a part in memory that the device can use, and sends it to where it cannot. */
static sct_status process_and_send(sct_mover *mover, const sct_room *part, int in) {
    const sct_device_ops *ops = mover->site.device->ops;
    const sct_move *move = &part->move;
    size_t bytes = sct_type_bytes(move->from->type);
    bool turned = move->work == SCT_DO_TRANSPOSE;
    int64_t lines = turned ? part->count : part->lines, count = turned ? part->lines : part->count;
    char *to = sct_memory_at(move->to, move->to_line + (turned ? part->at : part->line),
                             move->to_at + (turned ? part->line : part->at), bytes);
    sct_status status = open_stream(mover, &mover->empties);
    if (status)
        return status;
    int out = take_room(mover);
    size_t width = (size_t)count * bytes;
    sct_memory half = {room_memory(mover, out), width, lines, width};
    sct_move inner = *move;
    inner.to = &half;
    inner.to_line = inner.to_at = 0;
    status = ops->follow(mover->stream, mover->emptied[out]);
    if (!status)
        status = submit(mover, &inner, part->memory, part->ld, 0, 0, part->lines, part->count);
    if (in >= 0)
        mover->emptied[in] = ops->record(mover->stream);
    return status ? status : send(mover, out, &half, to, move->to->pitch);
}

static sct_status move_part(sct_mover *mover, const sct_room *given) {
    sct_room part = *given;
    int in;
    sct_status status = bring(mover, &part, &in);
    if (status)
        return status;
    if (!can_use(mover, part.move.to->base))
        return process_and_send(mover, &part, in);
    status =
        submit(mover, &part.move, part.memory, part.ld, part.line, part.at, part.lines, part.count);
    if (in >= 0)
        mover->emptied[in] = mover->site.device->ops->record(mover->stream);
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
    if (mover->defers)
        return SCT_OK;
    sct_status emptied = empty_all(mover);
    sct_status copied = await_copies(mover), got = await_gets(mover);
    return emptied ? emptied : copied ? copied : got;
}

void sct_mover_close(sct_mover *mover) {
    sct_stream *const opened[] = {mover->fills, mover->empties};
    for (int i = 0; i < 2; i++)
        if (opened[i] && opened[i] != mover->stream)
            mover->site.device->ops->stream_close(opened[i]);
    mover->fills = mover->empties = NULL;
}
