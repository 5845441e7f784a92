/* piecewise.h - reads and writes a matrix in pieces.
 *
 * Each rank has a share of a piece: whole lines of the file, or a part of one line if lines are
 * very long. */
#ifndef CLI_FILES_PIECEWISE_H
#define CLI_FILES_PIECEWISE_H

#include "files/npy.h"
#include "ranks/worker.h"

/* The data in the file, and the name for errors. */
struct stored {
    const char *path;
    int fd;
    const struct npy_header *header;
};

/* Collective among ranks: to = op(file). */
sct_status piecewise_read(struct worker *worker, const struct stored *stored, sct_op op,
                          sct_matrix *to);
/* Collective among ranks: file = from. */
sct_status piecewise_write(struct worker *worker, const struct stored *stored, sct_matrix *from);

#endif
