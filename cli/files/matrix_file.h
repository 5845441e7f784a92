/* matrix_file.h - matrices in files: .npy, members of .npz, Matrix Market. Each rank reads and
 * writes its share piece by piece, so that no process holds a whole file. */
#ifndef CLI_FILES_MATRIX_FILE_H
#define CLI_FILES_MATRIX_FILE_H

#include "files/npy.h"
#include "output/replacement.h"
#include "ranks/worker.h"

#include <sys/types.h>

/* An input file, or the standard input. What cannot be read in place is unpacked to a file without
 * a name first. */
struct input {
    const char *path; /* for messages */
    int fd;           /* of the file in which the elements are */
    struct npy_header header;
    dev_t device; /* of the file that was named */
    ino_t inode;
};

/* Opens a matrix and reads its header; prints errors. `path` names a file, or a member of an
 * archive as FILE.npz:NAME; "-" is the standard input. */
enum code input_open(const struct rank_group *group, const char *path, struct input *input);
void input_close(struct input *input);

/* Collective among ranks: to = op(file). */
sct_status input_read(struct worker *worker, const struct input *input, sct_op op, sct_matrix *to);

/* An output file. It is written under a temporary name, beside its final one; for "-", without a
 * name. */
struct output {
    const char *asked, *name; /* as given, and for messages */
    struct replacement file;  /* rank 0 knows all of it; the others know the temporary name */
    int fd;                   /* -1: none */
    size_t size;
    struct npy_header header;
};

/* Reports an error if `path` names one of the input files, by whatever name or link. */
enum code output_check_apart(const char *path, const struct input *inputs, int count);

/* The next two are collective in the sense of rank_group.h. */

/* Creates the file in full size, so that a full disk is found early. The file is in Fortran order
 * if the layout is column-major. */
enum code output_create(struct rank_group *group, enum code code, const char *path, sct_type type,
                        const sct_layout *layout, struct output *output);
/* Renames the file to its final name on success; removes it otherwise. */
enum code output_finish(struct rank_group *group, enum code code, struct output *output);

/* True if the matrix goes to the standard output, where nothing else may be printed. */
bool output_is_standard(const struct output *output);

/* Collective among ranks: file = from. All replicas must be equal. */
sct_status output_write(struct worker *worker, const struct output *output, sct_matrix *from);

#endif
