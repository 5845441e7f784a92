/* piecewise.c - reads and writes a matrix, or a part of one, in pieces. */
#include "files/piecewise.h"

#include "ranks/home_tiles.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_SHARE = 4 << 20, MOST_STEPS = 2, ROOMS = 2, CONVERTED_BYTES = 1 << 16 };

/* A part of the file. A line is a row, or a column in Fortran order; a place is the index of an
 * element in its line. */
struct box {
    sct_range lines, places;
};

/* Room for a piece. On the host it is one matrix. With devices there are two, and a piece that is
 * read comes first to the one in memory of the host, then to the one on the devices. */
struct room {
    sct_matrix *piece[MOST_STEPS];
    void *memory; /* of the first matrix, with devices */
};

struct mover {
    struct worker *worker;
    const struct stored *stored;
    sct_op op;
    sct_matrix *matrix;
    struct room room[ROOMS];
    int steps; /* the copies between the file's side and the matrix */
    sct_copying *copying[MOST_STEPS];
    sct_status status;     /* of this rank's transfers */
    size_t matrix_at;      /* where the matrix begins in the file */
    struct box part;       /* of the matrix in the file that is transferred */
    int64_t lines, places; /* of that part */
    int64_t pitch;         /* places of a line of the whole matrix */
    struct box size;       /* of a piece, as a part that begins at 0 */
    int64_t across, count; /* the number of pieces of a line, and of all */
    struct box now;        /* the piece that is transferred */
    bool writes;
};

static bool by_rows(const struct mover *mover) {
    return mover->stored->header->order == SCT_ROW_MAJOR;
}

static int64_t least(int64_t x, int64_t y) {
    return x < y ? x : y;
}

static int64_t parts(int64_t all, int64_t size) {
    return (all + size - 1) / size;
}

static sct_slice slice_of(const struct mover *mover, const struct box *box) {
    return by_rows(mover) ? (sct_slice){box->lines, box->places}
                          : (sct_slice){box->places, box->lines};
}

/* Transfers all bytes. Returns 0, an errno, or -1 at the end of the file. */
static int transfer_bytes(const struct mover *mover, char *memory, size_t bytes, off_t at) {
    while (bytes > 0) {
        ssize_t moved = mover->writes ? pwrite(mover->stored->fd, memory, bytes, at)
                                      : pread(mover->stored->fd, memory, bytes, at);
        if (moved == 0 || (moved < 0 && errno != EINTR))
            return moved == 0 ? -1 : errno;
        if (moved > 0) {
            memory += moved;
            bytes -= (size_t)moved;
            at += moved;
        }
    }
    return 0;
}

/* Reads elements in the format of the file, and converts them. */
static int read_converted(const struct mover *mover, char *memory, int64_t count, off_t at) {
    const struct npy_header *header = mover->stored->header;
    size_t stored = element_format_bytes(&header->format, header->type);
    char bytes[CONVERTED_BYTES];
    const int64_t most = CONVERTED_BYTES / (int64_t)stored;
    for (int64_t now; count > 0; count -= now) {
        now = least(count, most);
        int error = transfer_bytes(mover, bytes, (size_t)now * stored, at);
        if (error != 0)
            return error;
        element_format_convert(&header->format, now, bytes, header->type, memory);
        memory += (size_t)now * sct_type_bytes(header->type);
        at += (off_t)((size_t)now * stored);
    }
    return 0;
}

/* Transfers elements of one line, or of several whole ones. */
static int transfer(const struct mover *mover, char *memory, int64_t count, int64_t line,
                    int64_t place) {
    const struct npy_header *header = mover->stored->header;
    size_t stored = element_format_bytes(&header->format, header->type);
    int64_t at = (mover->part.lines.lo + line) * mover->pitch + mover->part.places.lo + place;
    off_t offset = (off_t)(mover->matrix_at + (size_t)at * stored);
    return element_format_is_native(&header->format, header->type)
               ? transfer_bytes(mover, memory, (size_t)count * stored, offset)
               : read_converted(mover, memory, count, offset);
}

static void fail(struct mover *mover, int error) {
    mover->status = worker_fail(mover->worker, "%s: cannot be %s: %s", mover->stored->path,
                                mover->writes ? "written" : "read",
                                error < 0 ? "it has become shorter" : strerror(error));
}

/* Transfers this rank's block at `bounds` of the current piece. */
static void move_share(const sct_slice *bounds, const sct_block *block, void *context) {
    struct mover *mover = context;
    size_t element = sct_type_bytes(mover->stored->header->type);
    sct_range lines = by_rows(mover) ? bounds->rows : bounds->cols;
    sct_range places = by_rows(mover) ? bounds->cols : bounds->rows;
    int64_t count = least(lines.hi, mover->now.lines.hi - mover->now.lines.lo) - lines.lo;
    int64_t width = least(places.hi, mover->now.places.hi - mover->now.places.lo) - places.lo;
    if (count <= 0 || width <= 0)
        return;
    /* Whole lines are contiguous in the file and in memory, so one transfer does for all. */
    if (width == mover->pitch && block->ld == width) {
        width *= count;
        count = 1;
    }
    for (int64_t i = 0; i < count && mover->status == SCT_OK; i++) {
        int error = transfer(mover, (char *)block->data + (size_t)(i * block->ld) * element, width,
                             mover->now.lines.lo + lines.lo + i, mover->now.places.lo + places.lo);
        if (error != 0)
            fail(mover, error);
    }
}

/* ---- The pieces ---- */

/* The size of a piece: each rank's share has at most `most` elements. A small file is one piece. */
static struct box size_piece(const struct mover *mover, int64_t most) {
    int64_t ranks = mover->worker->group->ranks;
    if (mover->places > most)
        return (struct box){{0, 1}, {0, least(mover->places, most * ranks)}};
    int64_t share = least(most / mover->places, parts(mover->lines, ranks));
    return (struct box){{0, least(mover->lines, share * ranks)}, {0, mover->places}};
}

static void divide(struct mover *mover) {
    const struct npy_header *header = mover->stored->header;
    int64_t share = mover->stored->share > 0 ? mover->stored->share : DEFAULT_SHARE;
    const sct_slice whole = {{0, header->rows}, {0, header->cols}};
    const sct_slice *slice = mover->stored->slice ? mover->stored->slice : &whole;
    mover->matrix_at = header->offset + (size_t)mover->stored->index * npy_matrix_bytes(header);
    mover->part = by_rows(mover) ? (struct box){slice->rows, slice->cols}
                                 : (struct box){slice->cols, slice->rows};
    mover->pitch = by_rows(mover) ? header->cols : header->rows;
    mover->lines = mover->part.lines.hi - mover->part.lines.lo;
    mover->places = mover->part.places.hi - mover->part.places.lo;
    if (mover->lines == 0 || mover->places == 0)
        return;
    mover->size = size_piece(mover, share / (int64_t)sct_type_bytes(header->type));
    mover->across = parts(mover->places, mover->size.places.hi);
    mover->count = mover->across * parts(mover->lines, mover->size.lines.hi);
}

static struct box box_of(const struct mover *mover, int64_t number) {
    int64_t line = number / mover->across * mover->size.lines.hi;
    int64_t place = number % mover->across * mover->size.places.hi;
    return (struct box){{line, least(mover->lines, line + mover->size.lines.hi)},
                        {place, least(mover->places, place + mover->size.places.hi)}};
}

static struct room *room_of(struct mover *mover, int64_t number) {
    return &mover->room[number % ROOMS];
}

/* Each rank has whole lines of a piece, or a part of its line. */
static sct_status make_layout(const struct mover *mover, sct_layout **layout) {
    sct_slice slice = slice_of(mover, &mover->size);
    int ranks = mover->worker->group->ranks;
    bool cut_rows = (mover->across == 1) == by_rows(mover);
    sct_layout *cut = NULL;
    sct_status status = cut_rows ? sct_layout_create_row(slice.rows.hi, slice.cols.hi, ranks, &cut)
                                 : sct_layout_create_col(slice.rows.hi, slice.cols.hi, ranks, &cut);
    if (status == SCT_OK)
        status = sct_layout_store(cut, mover->stored->header->order, layout);
    sct_layout_destroy(cut);
    return status;
}

/* On a device, makes a second matrix, in memory of the host. */
static sct_status make_room(struct mover *mover, const sct_layout *layout, struct room *room) {
    sct_world *world = mover->worker->world;
    sct_type type = mover->stored->header->type;
    sct_matrix *made;
    sct_status status = sct_matrix_create(world, type, layout, &made);
    if (status != SCT_OK)
        return status;
    bool on_host = sct_matrix_space(made) == SCT_SPACE_HOST;
    mover->steps = on_host ? 1 : 2;
    room->piece[mover->steps - 1] = made;
    if (on_host)
        return SCT_OK;
    size_t bytes;
    status = sct_layout_bytes(layout, type, mover->worker->rank, &bytes);
    if (status == SCT_OK)
        status = sct_world_alloc_host(world, bytes, &room->memory);
    status = worker_settle(mover->worker, status);
    return status == SCT_OK ? sct_matrix_wrap(world, type, layout, room->memory, 0, &room->piece[0])
                            : status;
}

static sct_status make_rooms(struct mover *mover) {
    sct_layout *layout = NULL;
    sct_status status = worker_settle(mover->worker, make_layout(mover, &layout));
    for (int64_t i = 0; i < least(mover->count, ROOMS) && status == SCT_OK; i++)
        status = make_room(mover, layout, &mover->room[i]);
    sct_layout_destroy(layout);
    return status;
}

static void clear_rooms(struct mover *mover) {
    for (int i = 0; i < ROOMS; i++) {
        for (int step = 0; step < MOST_STEPS; step++)
            sct_matrix_destroy(mover->room[i].piece[step]);
        sct_world_free_host(mover->worker->world, mover->room[i].memory);
    }
}

/* ---- Copies ---- */

/* The view of a piece where it is after `step` copies, counted from the file. */
static sct_status view_piece(struct mover *mover, int64_t number, int step, sct_view *view) {
    const struct box box = box_of(mover, number);
    const struct box size = {{0, box.lines.hi - box.lines.lo}, {0, box.places.hi - box.places.lo}};
    sct_slice slice = slice_of(mover, &box);
    if (step < mover->steps)
        return sct_matrix_view(room_of(mover, number)->piece[step], slice_of(mover, &size), view);
    if (mover->op != SCT_N)
        slice = (sct_slice){slice.cols, slice.rows};
    return sct_matrix_view(mover->matrix, slice, view);
}

/* Starts copy number `step` of a piece, counted from the file: between two matrices of its room, or
 * between the last one and the whole matrix. */
static sct_status start_copy(struct mover *mover, int64_t number, int step) {
    sct_view near, far;
    sct_op op = step == mover->steps ? mover->op : SCT_N;
    sct_copying **copying = &mover->copying[step - 1];
    sct_status status = view_piece(mover, number, step - 1, &near);
    if (status == SCT_OK)
        status = view_piece(mover, number, step, &far);
    if (status != SCT_OK)
        return status;
    return mover->writes ? sct_copy_start(op, far, near, NULL, copying)
                         : sct_copy_start(op, near, far, NULL, copying);
}

/* Waits for the copies under way. */
static sct_status end_copies(struct mover *mover) {
    sct_status status = SCT_OK;
    for (int i = 0; i < MOST_STEPS; i++) {
        sct_copying *copying = mover->copying[i];
        sct_status ended = copying ? sct_copy_wait(copying) : SCT_OK;
        status = status == SCT_OK ? ended : status;
        mover->copying[i] = NULL;
    }
    return status;
}

/* ---- The pipeline ---- */

/* The number of the piece that is at a step in a turn; may be none. A piece makes a step in each
 * turn: from the file, which is step 0, or to it. */
static int64_t number_at(const struct mover *mover, int64_t turn, int step) {
    return turn - (mover->writes ? mover->steps - step : step);
}

static bool exists(const struct mover *mover, int64_t number) {
    return number >= 0 && number < mover->count;
}

/* Transfers this rank's share of a piece. */
static sct_status move_share_of(struct mover *mover, int64_t number) {
    mover->now = box_of(mover, number);
    sct_status status = tiles_visit(mover->worker->world, room_of(mover, number)->piece[0],
                                    mover->writes ? TILES_READ : TILES_WRITE, move_share, mover);
    return status == SCT_OK ? mover->status : status;
}

static void count_moved(const struct mover *mover, int64_t number) {
    const struct stored *stored = mover->stored;
    const struct box box = box_of(mover, number);
    if (stored->moved && mover->worker->rank == 0)
        stored->moved(stored->context, (box.lines.hi - box.lines.lo) *
                                           (box.places.hi - box.places.lo) *
                                           (int64_t)element_format_bytes(&stored->header->format,
                                                                         stored->header->type));
}

/* The copies are under way while the host transfers, until the next turn. */
static sct_status take_turn(struct mover *mover, int64_t turn) {
    sct_status status = end_copies(mover);
    for (int step = 1; step <= mover->steps && status == SCT_OK; step++) {
        int64_t number = number_at(mover, turn, step);
        if (exists(mover, number))
            status = start_copy(mover, number, step);
    }
    int64_t number = number_at(mover, turn, 0);
    if (status == SCT_OK && exists(mover, number)) {
        status = move_share_of(mover, number);
        count_moved(mover, number);
    }
    return worker_settle(mover->worker, status);
}

static sct_status move_all(struct mover *mover) {
    divide(mover);
    if (mover->count == 0)
        return SCT_OK;
    sct_status status = make_rooms(mover);
    for (int64_t turn = 0; turn <= mover->count + mover->steps && status == SCT_OK; turn++)
        status = take_turn(mover, turn);
    end_copies(mover);
    clear_rooms(mover);
    return status;
}

sct_status piecewise_read(struct worker *worker, const struct stored *stored, sct_op op,
                          sct_matrix *to) {
    struct mover mover = {.worker = worker, .stored = stored, .op = op, .matrix = to};
    return move_all(&mover);
}

sct_status piecewise_write(struct worker *worker, const struct stored *stored, sct_matrix *from) {
    struct mover mover = {
        .worker = worker, .stored = stored, .op = SCT_N, .matrix = from, .writes = true};
    return move_all(&mover);
}
