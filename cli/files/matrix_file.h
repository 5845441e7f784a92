/* matrix_file.h - matrices in .npy files: every rank reads and writes a share of its own, piece by
 * piece, so that no process ever needs to have room for a whole file. */
#ifndef CLI_FILES_MATRIX_FILE_H
#define CLI_FILES_MATRIX_FILE_H

#include "files/cleanup_process.h"
#include "files/npy.h"
#include "ranks/worker.h"

#include <limits.h>

/* A file to read. */
struct input {
    const char *path;
    int fd;
    struct npy_header header;
};

/* Opens the file after a look at its header; says what is wrong with it. */
enum code input_open(const char *path, struct input *input);
void input_close(struct input *input);

/* Collective among ranks: to = op(file). */
sct_status input_read(struct member *member, const struct input *input, sct_op op, sct_matrix *to);

/* A file to write: at first another one beside it, which takes its name when complete. */
struct output {
    const char *asked;                        /* the name as it was given */
    char path[PATH_MAX], temporary[PATH_MAX]; /* known to the process that makes it; to all */
    int fd;                                   /* -1: there is no such file */
    size_t size;
    struct npy_header header;
    struct guard guard;
};

/* The next two are collective, as functions of the team are. */

/* Makes the file in its full size, so that a full disk is found here. It is in Fortran order if the
 * layout is column-major. */
enum code output_create(struct team *team, enum code code, const char *path, sct_type type,
                        const sct_layout *layout, struct output *output);
/* Gives the file its name if all went well, and removes it if not. */
enum code output_finish(struct team *team, enum code code, struct output *output);

/* Collective among ranks: file = from. All replicas must be alike. */
sct_status output_write(struct member *member, const struct output *output, sct_matrix *from);

#endif
