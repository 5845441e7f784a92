/* piecewise.h - a matrix goes from or to its file in pieces. A piece is dealt to the ranks in
 * shares that are whole lines of the file, or, where lines are very long, parts of one line. */
#ifndef CLI_FILES_PIECEWISE_H
#define CLI_FILES_PIECEWISE_H

#include "files/npy.h"
#include "ranks/worker.h"

/* What lies in the file, which errors call by this name. */
struct stored {
    const char *path;
    int fd;
    const struct npy_header *header;
};

/* Collective among ranks: to = op(file). */
sct_status pieces_read(struct member *member, const struct stored *stored, sct_op op,
                       sct_matrix *to);
/* Collective among ranks: file = from. */
sct_status pieces_write(struct member *member, const struct stored *stored, sct_matrix *from);

#endif
