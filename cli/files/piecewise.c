/* piecewise.c - reads and writes a matrix in pieces. */
#include "files/piecewise.h"

#include "ranks/home_tiles.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The most bytes of a rank's share of a piece. */
enum { MOST_BYTES = 4 << 20 };

/* A part of the file. A line is a row, or a column in Fortran order; a place is the index of an
 * element in its line. */
struct box {
    sct_range lines, places;
};

struct mover {
    struct worker *worker;
    const struct stored *stored;
    sct_matrix *piece;
    sct_status status;     /* of this rank's transfers */
    int64_t lines, places; /* of the whole file */
    struct box now;        /* the current piece */
    bool writes;
};

static bool by_rows(const struct mover *mover) {
    return mover->stored->header->order == SCT_ROW_MAJOR;
}

static int64_t least(int64_t x, int64_t y) {
    return x < y ? x : y;
}

static sct_slice slice_of(const struct mover *mover, const struct box *box) {
    return by_rows(mover) ? (sct_slice){box->lines, box->places}
                          : (sct_slice){box->places, box->lines};
}

/* Transfers all bytes. Returns 0, an errno, or -1 at the end of the file. */
static int transfer(const struct mover *mover, char *memory, size_t bytes, off_t at) {
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

static void fail(struct mover *mover, int error) {
    mover->status = worker_fail(mover->worker, "%s: cannot be %s: %s", mover->stored->path,
                                mover->writes ? "written" : "read",
                                error < 0 ? "it has become shorter" : strerror(error));
}

/* Transfers this rank's block at `bounds` of the current piece. */
static void move_share(const sct_slice *bounds, const sct_block *block, void *context) {
    struct mover *mover = context;
    const struct npy_header *header = mover->stored->header;
    size_t element = sct_type_bytes(header->type);
    sct_range lines = by_rows(mover) ? bounds->rows : bounds->cols;
    sct_range places = by_rows(mover) ? bounds->cols : bounds->rows;
    int64_t count = least(lines.hi, mover->now.lines.hi - mover->now.lines.lo) - lines.lo;
    int64_t width = least(places.hi, mover->now.places.hi - mover->now.places.lo) - places.lo;
    if (count <= 0 || width <= 0)
        return;
    /* Whole lines are contiguous in the file and in memory, so one transfer does for all. */
    if (width == mover->places && block->ld == width) {
        width *= count;
        count = 1;
    }
    for (int64_t i = 0; i < count && mover->status == SCT_OK; i++) {
        int64_t at =
            (mover->now.lines.lo + lines.lo + i) * mover->places + mover->now.places.lo + places.lo;
        int error =
            transfer(mover, (char *)block->data + (size_t)(i * block->ld) * element,
                     (size_t)width * element, (off_t)(header->offset + (size_t)at * element));
        if (error != 0)
            fail(mover, error);
    }
}

static sct_status move_shares(struct mover *mover) {
    sct_status status = tiles_visit(mover->worker->world, mover->piece,
                                    mover->writes ? TILES_READ : TILES_WRITE, move_share, mover);
    return worker_settle(mover->worker, status == SCT_OK ? mover->status : status);
}

static int64_t most_places(const struct mover *mover) {
    return MOST_BYTES / (int64_t)sct_type_bytes(mover->stored->header->type);
}

/* The size of a piece, as a part that begins at 0: as large as shares may be, or the whole file. */
static struct box size_piece(const struct mover *mover) {
    int64_t ranks = mover->worker->group->ranks, most = most_places(mover);
    if (mover->places > most)
        return (struct box){{0, 1}, {0, least(mover->places, most * ranks)}};
    int64_t share = least(most / mover->places, (mover->lines + ranks - 1) / ranks);
    return (struct box){{0, least(mover->lines, share * ranks)}, {0, mover->places}};
}

static sct_status create_piece(struct mover *mover, const struct box *size) {
    const struct npy_header *header = mover->stored->header;
    sct_slice slice = slice_of(mover, size);
    int ranks = mover->worker->group->ranks;
    bool cut_rows = (mover->places <= most_places(mover)) == by_rows(mover);
    sct_layout *cut = NULL, *layout = NULL;
    sct_status status = cut_rows ? sct_layout_create_row(slice.rows.hi, slice.cols.hi, ranks, &cut)
                                 : sct_layout_create_col(slice.rows.hi, slice.cols.hi, ranks, &cut);
    if (status == SCT_OK)
        status = sct_layout_store(cut, header->order, &layout);
    status = worker_settle(mover->worker, status);
    if (status == SCT_OK)
        status = sct_matrix_create(mover->worker->world, header->type, layout, &mover->piece);
    sct_layout_destroy(layout);
    sct_layout_destroy(cut);
    return status;
}

/* Copies between the piece and its part of op(matrix). */
static sct_status copy_piece(struct mover *mover, sct_op op, sct_matrix *matrix) {
    const struct box *now = &mover->now;
    const struct box size = {{0, now->lines.hi - now->lines.lo},
                             {0, now->places.hi - now->places.lo}};
    sct_slice slice = slice_of(mover, now);
    if (op != SCT_N)
        slice = (sct_slice){slice.cols, slice.rows};
    sct_view piece, view;
    sct_status status = sct_matrix_view(mover->piece, slice_of(mover, &size), &piece);
    if (status == SCT_OK)
        status = sct_matrix_view(matrix, slice, &view);
    if (status != SCT_OK)
        return status;
    return mover->writes ? sct_copy(op, view, piece, NULL) : sct_copy(op, piece, view, NULL);
}

static sct_status move_piece(struct mover *mover, sct_op op, sct_matrix *matrix) {
    sct_status status = mover->writes ? copy_piece(mover, op, matrix) : move_shares(mover);
    if (status != SCT_OK)
        return status;
    return mover->writes ? move_shares(mover) : copy_piece(mover, op, matrix);
}

static sct_status move_all(struct mover *mover, sct_op op, sct_matrix *matrix) {
    const struct npy_header *header = mover->stored->header;
    mover->lines = by_rows(mover) ? header->rows : header->cols;
    mover->places = by_rows(mover) ? header->cols : header->rows;
    if (mover->lines == 0 || mover->places == 0)
        return SCT_OK;
    struct box size = size_piece(mover);
    sct_status status = create_piece(mover, &size);
    for (int64_t line = 0; line < mover->lines && status == SCT_OK; line += size.lines.hi)
        for (int64_t place = 0; place < mover->places && status == SCT_OK;
             place += size.places.hi) {
            mover->now = (struct box){{line, least(mover->lines, line + size.lines.hi)},
                                      {place, least(mover->places, place + size.places.hi)}};
            status = move_piece(mover, op, matrix);
        }
    sct_matrix_destroy(mover->piece);
    return status;
}

sct_status piecewise_read(struct worker *worker, const struct stored *stored, sct_op op,
                          sct_matrix *to) {
    struct mover mover = {.worker = worker, .stored = stored};
    return move_all(&mover, op, to);
}

sct_status piecewise_write(struct worker *worker, const struct stored *stored, sct_matrix *from) {
    struct mover mover = {.worker = worker, .stored = stored, .writes = true};
    return move_all(&mover, SCT_N, from);
}
