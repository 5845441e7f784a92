/* copy.c - copies between layouts: cuts rows and columns of the target against those of the
 * source, and moves each rectangle. Reduces and copies replicas: each rank fetches from the same
 * cells of other replicas. */
#include "exec/copy.h"

#include "base/checked.h"
#include "layout/pieces.h"

enum { ROWS, COLS }; /* of the target */

/* Cuts one dimension. The source is side 0, the target side 1. */
static sct_status slice_dimension(sct_op op, const sct_bound *from, const sct_bound *to, bool rows,
                                  int coord, sct_pieces *pieces) {
    bool from_rows = rows == (op == SCT_N);
    sct_range source = from_rows ? from->slice.rows : from->slice.cols;
    sct_range target = rows ? to->slice.rows : to->slice.cols;
    sct_dimension d = {.axis = {from_rows ? &from->layout->rows : &from->layout->cols,
                                rows ? &to->layout->rows : &to->layout->cols},
                       .offset = {source.lo, target.lo},
                       .only = {rows ? &to->layout->rows : &to->layout->cols, target.lo, coord},
                       .range = {0, target.hi - target.lo},
                       .cutting = SCT_CUT_RUNS};
    return sct_pieces_create(&d, pieces);
}

/* The move of the rectangle of one piece of rows and one of columns. */
static sct_move rectangle(const sct_mover *mover, sct_op op, const sct_bound *from,
                          const sct_bound *to, const sct_piece *row, const sct_piece *col) {
    const sct_piece *from_row = op == SCT_N ? row : col, *from_col = op == SCT_N ? col : row;
    sct_cell cell = {from_row->side[0].first.coord, from_col->side[0].first.coord};
    int home = sct_layout_home(from->layout, mover->context.fabric->rank);
    bool from_by_rows = from->layout->order == SCT_ROW_MAJOR;
    bool to_by_rows = to->layout->order == SCT_ROW_MAJOR;
    const sct_piece *line = from_by_rows ? from_row : from_col;
    const sct_piece *within = from_by_rows ? from_col : from_row;
    const sct_piece *to_line = to_by_rows ? row : col, *to_within = to_by_rows ? col : row;
    return (sct_move){.work = line == to_line ? SCT_DO_COPY : SCT_DO_TRANSPOSE,
                      .conjugate = op == SCT_C && sct_type_complex(from->type),
                      .from = from,
                      .line = line->side[0].first.at,
                      .at = within->side[0].first.at,
                      .lines = line->indices.count,
                      .count = within->indices.count,
                      .to_line = to_line->side[1].first.at,
                      .to_at = to_within->side[1].first.at,
                      .place = sct_layout_place(from->layout, home, cell)};
}

/* The number of the piece that this rank moves in the given step. Each rank begins with another
 * piece, so that they do not all ask the same owner at once. */
static int64_t nth_piece(const sct_pieces *pieces, const sct_fabric *fabric, int64_t step) {
    int64_t skipped = pieces->count * fabric->rank / fabric->size;
    return (skipped + step) % pieces->count;
}

/* Moves all rectangles; the inner loop goes along the lines of the source, so that neighbours there
 * are moved one after another. */
static sct_status move_rectangles(sct_mover *mover, sct_op op, const sct_bound *from,
                                  const sct_bound *to, const sct_pieces pieces[2],
                                  const sct_memory *own) {
    int outer = (from->layout->order == SCT_ROW_MAJOR) == (op == SCT_N) ? ROWS : COLS;
    int inner = ROWS + COLS - outer;
    sct_reader reader[2] = {{.pieces = NULL}, {.pieces = NULL}};
    const sct_fabric *fabric = mover->context.fabric;
    sct_status status = SCT_OK;
    for (int64_t i = 0; i < pieces[outer].count && !status; i++) {
        sct_piece piece[2];
        int64_t number = nth_piece(&pieces[outer], fabric, i);
        sct_pieces_read(&pieces[outer], number, &reader[outer], &piece[outer]);
        for (int64_t j = 0; j < pieces[inner].count && !status; j++) {
            number = nth_piece(&pieces[inner], fabric, j);
            sct_pieces_read(&pieces[inner], number, &reader[inner], &piece[inner]);
            sct_move move = rectangle(mover, op, from, to, &piece[ROWS], &piece[COLS]);
            move.to = own;
            status = sct_mover_start(mover, &move);
        }
    }
    return status;
}

static sct_status copy_cell(sct_mover *mover, sct_op op, const sct_bound *from, const sct_bound *to,
                            int block) {
    int rank = mover->context.fabric->rank;
    sct_cell cell = sct_layout_cell(to->layout, rank, block);
    const sct_memory *own = &mover->context.fabric->ops->peer(to->segment, rank)[block];
    sct_pieces pieces[2] = {{.count = 0}, {.count = 0}};
    sct_status status = slice_dimension(op, from, to, true, cell.row, &pieces[ROWS]);
    if (!status)
        status = slice_dimension(op, from, to, false, cell.col, &pieces[COLS]);
    if (!status)
        status = move_rectangles(mover, op, from, to, pieces, own);
    sct_pieces_clear(&pieces[ROWS]);
    sct_pieces_clear(&pieces[COLS]);
    return status;
}

sct_status sct_copy_start_parts(sct_mover *mover, sct_op op, const sct_bound *from,
                                const sct_bound *to) {
    bool empty = !sct_range_length(to->slice.rows) || !sct_range_length(to->slice.cols);
    int cells = empty ? 0 : sct_layout_cells(to->layout, mover->context.fabric->rank);
    sct_status status = SCT_OK;
    for (int block = 0; block < cells && !status; block++)
        status = copy_cell(mover, op, from, to, block);
    return status;
}

/* ---- Replicas ---- */

/* Fetches lines of a local part from another replica. */
static sct_status fetch_lines(sct_mover *mover, const sct_bound *matrix, int block, int replica,
                              sct_range lines, sct_work work) {
    sct_fabric *fabric = mover->context.fabric;
    sct_part part = sct_layout_part_in(matrix->layout, &matrix->slice, fabric->rank, block);
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
        int64_t lines = sct_layout_part_in(layout, &matrix->slice, rank, block).lines;
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
        sct_range all = {0, sct_layout_part_in(matrix->layout, &matrix->slice, rank, block).lines};
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
