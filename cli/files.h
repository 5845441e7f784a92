/* files.h - matrices in .npy files, read and written by all ranks without a copy in between. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include "npy.h"
#include "report.h"

#include <limits.h>

/* A file to read. Each rank sees all of it, and touches the pages of its own parts alone. */
struct input {
    const char *path;
    void *bytes; /* the whole file, mapped */
    size_t size;
    struct npy_header header;
    sct_layout *layout; /* a replica on each rank */
};

/* Maps the file after a look at its header; says what is wrong with it. */
enum code input_open(const char *path, int64_t ranks, struct input *input);
void input_close(struct input *input);

/* Collective: a matrix that is the file. It must not be written. */
sct_status input_wrap(sct_world *world, const struct input *input, sct_matrix **matrix);
/* Collective: to = the file. */
sct_status input_read(sct_world *world, const struct input *input, sct_matrix *to);

/* A file to write: at first another one beside it, which takes its name when complete. */
struct output {
    char path[PATH_MAX], temporary[PATH_MAX];
    void *bytes;
    size_t size;
    struct npy_header header;
};

/* Makes the file in its full size, so that a full disk is found here. It is in Fortran order if the
 * layout is column-major. */
enum code output_create(const char *path, sct_type type, const sct_layout *layout,
                        struct output *output);
/* Not collective: writes what this rank owns of replica 0, which has the layout of the output. */
sct_status output_write(const sct_world *world, const sct_matrix *matrix, struct output *output);
/* Gives the file its name if all went well, and removes it if not. */
enum code output_finish(struct output *output, enum code code);

#endif
