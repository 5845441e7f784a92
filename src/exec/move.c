/* move.c - moves rectangles, near or far. */
#include "exec/move.h"

static bool is_same(sct_event one, sct_event other) {
    return one.ops == other.ops && one.of == other.of && one.number == other.number;
}

void sct_transfers_add(sct_transfers *transfers, sct_event reached) {
    int64_t last = transfers->count - 1;
    if (reached.ops && (last < 0 || !is_same(transfers->event[last], reached)))
        transfers->event[transfers->count++] = reached;
}

sct_status sct_transfers_join(sct_transfers *transfers, const sct_device *device,
                              sct_stream *stream) {
    sct_status status = SCT_OK;
    for (int64_t i = 0; i < transfers->count; i++) {
        sct_status followed = device->ops->follow(stream, transfers->event[i]);
        status = status ? status : followed;
    }
    transfers->count = 0;
    return status;
}

static size_t element_bytes(const sct_move *move) {
    return sct_type_bytes(move->from->type);
}

/* Submits the command that moves one rectangle of a move: the one that begins at its line `line`,
 * element `at`. */
static sct_status submit(sct_mover *mover, const sct_move *move, const void *from, int64_t from_ld,
                         int64_t line, int64_t at, int64_t lines, int64_t count) {
    bool turned = move->work == SCT_DO_TRANSPOSE;
    size_t bytes = element_bytes(move);
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
    return mover->context.device->ops->submit(mover->stream, &command);
}

static bool can_use(const sct_mover *mover, const void *memory) {
    return mover->context.device->ops->can_use(mover->context.device, memory);
}

/* The block that a move comes from, if its owner is near. */
static const sct_memory *near_block(const sct_mover *mover, const sct_move *move) {
    const sct_fabric *fabric = mover->context.fabric;
    const sct_memory *blocks = fabric->ops->peer(move->from->segment, move->place.rank);
    return blocks ? &blocks[move->place.block] : NULL;
}

static sct_status get_in_place(sct_mover *mover, const sct_move *move) {
    sct_fabric *fabric = mover->context.fabric;
    sct_transfers *gets = &mover->gets;
    sct_target from =
        sct_bound_target(move->from, move->place, move->line, move->at, move->lines, move->count);
    void *to = sct_memory_at(move->to, move->to_line, move->to_at, element_bytes(move));
    sct_event reached;
    gets->event = mover->event;
    sct_status status = gets->count == SCT_MOST_MOVES
                            ? sct_transfers_join(gets, mover->context.device, mover->stream)
                            : SCT_OK;
    if (!status)
        status = sct_fabric_get(fabric, mover->stream, &from, to, move->to->pitch, &reached);
    if (!status)
        sct_transfers_add(gets, reached);
    return status;
}

/* ---- Parts of a move by way of the buffer ---- */

static sct_status process(sct_mover *mover, sct_room *room);

/* The next room; what it holds is processed first. */
static sct_status take_room(sct_mover *mover, sct_room **room) {
    *room = &mover->room[mover->next];
    mover->next = (mover->next + 1) % mover->rooms;
    return (*room)->holds ? process(mover, *room) : SCT_OK;
}

static char *room_memory(const sct_mover *mover, const sct_room *room) {
    return mover->buffer + (size_t)(room - mover->room) * mover->room_bytes;
}

/* Deferred moves are all on one stream, whose end is theirs. */
static sct_status open_stream(const sct_mover *mover, sct_stream **stream) {
    sct_device *device = mover->context.device;
    if (mover->defers)
        *stream = mover->stream;
    return *stream ? SCT_OK : device->ops->stream_open(device, stream);
}

/* Moves what commands have left in a room to memory that they cannot use. */
static sct_status send(sct_mover *mover, sct_room *room, const sct_memory *half, void *to,
                       size_t pitch) {
    sct_device *device = mover->context.device;
    sct_status status = device->ops->follow(mover->empties, device->ops->record(mover->stream));
    if (!status)
        status = sct_device_move(device, mover->empties, half->lines, half->width, half->base,
                                 half->pitch, to, pitch);
    room->emptied = device->ops->record(mover->empties);
    return status;
}

/* Has a room be filled again when the commands so far have used what is in it. */
static void release(const sct_mover *mover, sct_room *room) {
    if (room)
        room->emptied = mover->context.device->ops->record(mover->stream);
}

/* Processes a part, as finish_part does, and sends the result to memory that the device cannot use.
 */
static sct_status process_and_send(sct_mover *mover, const sct_part_moved *part, sct_room *in) {
    const sct_move *move = &part->move;
    size_t bytes = element_bytes(move);
    bool turned = move->work == SCT_DO_TRANSPOSE;
    int64_t lines = turned ? part->count : part->lines, count = turned ? part->lines : part->count;
    char *to = sct_memory_at(move->to, move->to_line + (turned ? part->at : part->line),
                             move->to_at + (turned ? part->line : part->at), bytes);
    sct_room *out;
    sct_status status = open_stream(mover, &mover->empties);
    if (!status)
        status = take_room(mover, &out);
    if (status)
        return status;
    size_t width = (size_t)count * bytes;
    sct_memory half = {room_memory(mover, out), width, lines, width};
    sct_move inner = *move;
    inner.to = &half;
    inner.to_line = inner.to_at = 0;
    status = mover->context.device->ops->follow(mover->stream, out->emptied);
    if (!status)
        status = submit(mover, &inner, part->memory, part->ld, 0, 0, part->lines, part->count);
    release(mover, in);
    return status ? status : send(mover, out, &half, to, move->to->pitch);
}

/* Processes a part in memory that the device can use; `in` is the room that it lies in, if any. */
static sct_status finish_part(sct_mover *mover, const sct_part_moved *part, sct_room *in) {
    if (!can_use(mover, part->move.to->base))
        return process_and_send(mover, part, in);
    sct_status status = submit(mover, &part->move, part->memory, part->ld, part->line, part->at,
                               part->lines, part->count);
    release(mover, in);
    return status;
}

/* Processes what a room holds, once it is there. */
static sct_status process(sct_mover *mover, sct_room *room) {
    room->holds = false;
    sct_status status = sct_transfers_join(&room->transfers, mover->context.device, mover->stream);
    return status ? status : finish_part(mover, &room->part, room);
}

static sct_status process_all(sct_mover *mover) {
    sct_status status = SCT_OK;
    for (int i = 0; i < mover->rooms; i++) {
        sct_room *room = &mover->room[(mover->next + i) % mover->rooms];
        sct_status processed = room->holds ? process(mover, room) : SCT_OK;
        status = status ? status : processed;
    }
    return status;
}

/* Brings a part to a room as it is. */
static sct_status load(sct_mover *mover, const sct_part_moved *part, const sct_memory *near,
                       sct_room *room) {
    const sct_move *move = &part->move;
    sct_fabric *fabric = mover->context.fabric;
    sct_device *device = mover->context.device;
    size_t bytes = element_bytes(move), pitch = (size_t)part->ld * bytes;
    int64_t line = move->line + part->line, at = move->at + part->at;
    sct_event reached = {.ops = NULL};
    sct_status status = device->ops->follow(mover->fills, room->emptied);
    sct_target from = sct_bound_target(move->from, move->place, line, at, part->lines, part->count);
    if (!status && near)
        status =
            sct_device_move(device, mover->fills, part->lines, (size_t)part->count * bytes,
                            sct_memory_at(near, line, at, bytes), near->pitch, part->memory, pitch);
    else if (!status)
        status = sct_fabric_get(fabric, mover->fills, &from, part->memory, pitch, &reached);
    room->transfers = (sct_transfers){.event = room->event};
    sct_transfers_add(&room->transfers, reached);
    sct_transfers_add(&room->transfers, device->ops->record(mover->fills));
    return status;
}

/* A part that is brought to a room is processed when the room is needed again, or in the end: until
 * then it is on its way. But if it needs another room, it is processed at once. */
static sct_status move_part(sct_mover *mover, const sct_part_moved *given) {
    sct_part_moved part = *given;
    const sct_move *move = &part.move;
    const sct_memory *near = near_block(mover, move);
    size_t bytes = element_bytes(move);
    if (near && can_use(mover, near->base)) {
        part.memory = sct_memory_at(near, move->line + part.line, move->at + part.at, bytes);
        part.ld = sct_memory_ld(near, bytes);
        return finish_part(mover, &part, NULL);
    }
    sct_room *room;
    sct_status status = open_stream(mover, &mover->fills);
    if (!status)
        status = take_room(mover, &room);
    if (status)
        return status;
    part.memory = room_memory(mover, room);
    room->part = part;
    status = load(mover, &part, near, room);
    room->holds = !status;
    return status || can_use(mover, move->to->base) ? status : process(mover, room);
}

/* Divides a move into parts that fit into a half of the buffer. */
static sct_status by_parts(sct_mover *mover, const sct_move *move) {
    size_t bytes = element_bytes(move), elements = mover->buffer_bytes / bytes;
    mover->rooms = elements < SCT_MOVE_ROOMS ? (int)elements : SCT_MOVE_ROOMS;
    mover->room_bytes = elements / (size_t)mover->rooms * bytes;
    sct_split cut =
        sct_split_make(move->lines, (size_t)move->count * bytes, mover->room_bytes, bytes);
    sct_status status = SCT_OK;
    for (int64_t i = 0; i < cut.pieces && !status; i++) {
        sct_rectangle piece = sct_split_piece(&cut, i);
        sct_part_moved part = {.move = *move,
                               .line = piece.line,
                               .at = (int64_t)(piece.byte / bytes),
                               .lines = piece.lines,
                               .count = (int64_t)(piece.width / bytes),
                               .ld = (int64_t)(piece.width / bytes)};
        status = move_part(mover, &part);
    }
    return status;
}

/* Where the device can use both sides, one command does it. Otherwise bytes are moved, if they do
 * not change, or parts of the move go through the buffer. */
static sct_status start_near(sct_mover *mover, const sct_move *move, const sct_memory *block) {
    size_t bytes = sct_type_bytes(move->from->type);
    char *from = sct_memory_at(block, move->line, move->at, bytes);
    if (move->place.rank != mover->context.fabric->rank)
        *mover->context.bytes_in_place += (uint64_t)move->lines * (uint64_t)move->count * bytes;
    if (can_use(mover, from) && can_use(mover, move->to->base))
        return submit(mover, move, from, sct_memory_ld(block, bytes), 0, 0, move->lines,
                      move->count);
    if (move->work != SCT_DO_COPY || move->conjugate)
        return by_parts(mover, move);
    return sct_device_move(
        mover->context.device, mover->stream, move->lines, (size_t)move->count * bytes, from,
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
    return by_parts(mover, move);
}

/* A failed command is known to its stream. */
static sct_status await_streams(sct_mover *mover) {
    sct_stream *const streams[] = {mover->fills, mover->stream, mover->empties};
    sct_status status = SCT_OK;
    for (int i = 0; i < 3; i++) {
        sct_status drained =
            streams[i] ? sct_device_drain(mover->context.device, streams[i]) : SCT_OK;
        status = status ? status : drained;
    }
    return status;
}

sct_status sct_mover_finish(sct_mover *mover) {
    sct_status processed = process_all(mover);
    sct_status got = sct_transfers_join(&mover->gets, mover->context.device, mover->stream);
    sct_status moved = mover->defers ? SCT_OK : await_streams(mover);
    return processed ? processed : got ? got : moved;
}

void sct_mover_close(sct_mover *mover) {
    sct_stream *const opened[] = {mover->fills, mover->empties};
    for (int i = 0; i < 2; i++)
        if (opened[i] && opened[i] != mover->stream)
            mover->context.device->ops->stream_close(opened[i]);
    mover->fills = mover->empties = NULL;
}
