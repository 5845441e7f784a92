/* matrix_file.h - matrices in files: .npy, members of .npz, Matrix Market. Each rank reads and
 * writes its share piece by piece, so that no process holds a whole file. */
#ifndef CLI_FILES_MATRIX_FILE_H
#define CLI_FILES_MATRIX_FILE_H

#include "files/npy.h"
#include "files/zip.h"
#include "output/replacement.h"
#include "print/progress.h"
#include "ranks/host.h"
#include "ranks/worker.h"

#include <sys/types.h>

/* An input file, or the standard input. What cannot be read in place is unpacked to a file without
 * a name first. */
struct input {
    const char *path; /* for messages */
    int fd;           /* of the file that was named, then of that in which the elements are */
    int pipe;         /* the rest of a pipe; -1: all is in the file */
    size_t taken;     /* bytes of the pipe that are in the file */
    struct npy_header header; /* its `type` may be changed: as which elements are read */
    dev_t device;             /* of the file that was named */
    ino_t inode;
    size_t size;              /* of that file in bytes; of a pipe, as its header says */
    struct zip_member member; /* of an archive */
    bool in_archive, in_text; /* what it is, until the elements are in place */
};

/* Reports an error if two inputs are the same pipe; paths may be NULL. Opens none. */
enum code inputs_check_pipes(const char *const *paths, int count);
/* Opens a matrix and reads its header, and no more; prints errors. `path` names a file or a pipe,
 * or a member of an archive as FILE.npz:NAME; "-" is the standard input. */
enum code input_open(const struct rank_group *group, const char *path, struct progress *progress,
                     struct input *input);
void input_close(struct input *input);

/* Collective in the sense of rank_group.h: reads pipes, unpacks what cannot be read in place, once
 * on each host, and checks the sum of what can. */
enum code inputs_load(struct rank_group *group, enum code code, const struct host *host,
                      struct progress *progress, struct input *inputs, int count);

/* A part of a matrix in a file. */
struct portion {
    int64_t index; /* of the matrix in a stack */
    sct_slice slice;
    int64_t share; /* the most bytes of a rank's share of a piece; 0: a default */
    struct progress *progress;
};

/* Collective among ranks: to = op(portion of the file). */
sct_status input_read(struct worker *worker, const struct input *input,
                      const struct portion *portion, sct_op op, sct_matrix *to);

/* An output file. It is written under a temporary name, beside its final one; for "-", without a
 * name. */
struct output {
    const char *asked, *name; /* as given, and for messages */
    struct replacement file;  /* rank 0 knows all of it; the others know the temporary name */
    int fd;                   /* -1: none */
    size_t size;
    struct npy_header header;
    bool replaces; /* an older file of that name */
};

/* Reports an error if there can be no such file, so that no input is read in vain. */
enum code output_check(const char *path);
/* Reports an error if `path` names one of the input files, by whatever name or link, or a file that
 * is no .npy file. */
enum code output_check_replaced(const char *path, const struct input *inputs, int count);

/* Reports an error if the file would not fit on its disk. Creates nothing. */
enum code output_check_room(const char *path, const struct npy_header *header);

/* The next two are collective in the sense of rank_group.h. */

/* Creates the file in full size, so that a full disk is found early. */
enum code output_create(struct rank_group *group, enum code code, const char *path,
                        const struct npy_header *header, struct output *output);
/* Renames the file to its final name on success; removes it otherwise. */
enum code output_finish(struct rank_group *group, enum code code, struct output *output);

/* True if the matrix goes to the standard output, where nothing else may be printed. */
bool output_is_standard(const struct output *output);

/* Collective among ranks: portion of the file = from. All replicas must be equal. */
sct_status output_write(struct worker *worker, const struct output *output,
                        const struct portion *portion, sct_matrix *from);

#endif
