/* piecewise.h - reads and writes a matrix, or a part of one, in pieces, so that no process holds a
 * whole file.
 *
 * A piece is a small matrix. Each rank transfers its share of it, whole lines of the file, or a
 * part of one line if lines are very long. Between the piece and the matrix, the ranks copy; on
 * devices in two steps, by a second matrix, in the devices' memory. While the host transfers one
 * piece, its neighbours are copied: there is room for two. */
#ifndef CLI_FILES_PIECEWISE_H
#define CLI_FILES_PIECEWISE_H

#include "files/npy.h"
#include "ranks/worker.h"

/* An open file, and its name for errors. */
struct stored {
    const char *path;
    int fd;
    const struct npy_header *header;
    int64_t share;          /* the most bytes of a rank's share of a piece; 0: a default */
    int64_t index;          /* of the matrix in a stack */
    const sct_slice *slice; /* the part of that matrix; NULL: the whole */
    /* Called on rank 0 as bytes of the file have been transferred; NULL: not. */
    void (*moved)(void *context, int64_t bytes);
    void *context;
};

/* Collective among ranks: to = op(file), converted to the type of the header. */
sct_status piecewise_read(struct worker *worker, const struct stored *stored, sct_op op,
                          sct_matrix *to);
/* Collective among ranks: file = from, which has the type of the header. */
sct_status piecewise_write(struct worker *worker, const struct stored *stored, sct_matrix *from);

#endif
