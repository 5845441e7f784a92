/* output.c - .npy files that get their name only when they are complete. */
#include "element.h"
#include "files.h"
#include "interrupt.h"
#include "tiles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static enum code fail(const struct output *output, int error) {
    report_error("%s: cannot be written: %s", output->path, strerror(error));
    return CODE_FAILED;
}

/* The name that the file will have, behind symbolic links, and one beside it for now. */
static enum code choose_names(const char *path, struct output *output) {
    struct stat about;
    if (!realpath(path, output->path))
        snprintf(output->path, sizeof output->path, "%s", path);
    else if (stat(output->path, &about) == 0 && !S_ISREG(about.st_mode)) {
        report_error("%s: cannot be written: it is not a regular file", path);
        return CODE_FAILED;
    }
    const char *slash = strrchr(output->path, '/');
    const char *name = slash ? slash + 1 : output->path;
    int length = snprintf(output->temporary, sizeof output->temporary, "%.*s.%.200s.XXXXXX",
                          (int)(name - output->path), output->path, name);
    bool fits = strlen(path) < sizeof output->path && length < (int)sizeof output->temporary;
    return fits ? CODE_DONE : fail(output, ENAMETOOLONG);
}

/* That of the file it replaces, else as if it had been made by open: mkstemp gives it to its owner
 * alone. */
static int set_mode(int fd, const char *replaced) {
    struct stat about;
    if (stat(replaced, &about) == 0)
        return fchmod(fd, about.st_mode & 07777);
    mode_t mask = umask(0);
    umask(mask);
    return fchmod(fd, 0666 & ~mask);
}

/* The file under its temporary name, removed if a signal ends the program from now on. */
static int open_temporary(struct output *output) {
    interrupt_hold(true);
    int fd = mkostemp(output->temporary, O_CLOEXEC);
    if (fd == -1)
        output->temporary[0] = '\0';
    interrupt_remove(output->temporary);
    interrupt_hold(false);
    return fd;
}

/* Gives the file its blocks now: a full disk would otherwise be a signal at some later store. */
static enum code fill_file(int fd, struct output *output) {
    if (set_mode(fd, output->path) == -1)
        return fail(output, errno);
    int error = posix_fallocate(fd, 0, (off_t)output->size);
    if (error != 0)
        return fail(output, error);
    output->bytes = mmap(NULL, output->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return output->bytes != MAP_FAILED ? CODE_DONE : fail(output, errno);
}

enum code output_create(const char *path, sct_type type, const sct_layout *layout,
                        struct output *output) {
    unsigned char header[NPY_HEADER_BYTES];
    *output = (struct output){.bytes = MAP_FAILED,
                              .header = {.type = type,
                                         .order = sct_layout_order(layout),
                                         .rows = sct_layout_rows(layout),
                                         .cols = sct_layout_cols(layout)}};
    enum code code = choose_names(path, output);
    if (code != CODE_DONE)
        return code;
    output->size = npy_format(&output->header, header);
    if (output->size == 0)
        return fail(output, EFBIG);
    int fd = open_temporary(output);
    if (fd == -1)
        return fail(output, errno);
    code = fill_file(fd, output);
    close(fd);
    if (code != CODE_DONE)
        return output_finish(output, code);
    memcpy(output->bytes, header, output->header.offset);
    return CODE_DONE;
}

/* Copies a tile into the file, which has the same order: line by line. */
static void write_tile(const sct_slice *bounds, const sct_block *block, void *context) {
    struct output *output = context;
    const struct npy_header *header = &output->header;
    bool by_rows = header->order == SCT_ROW_MAJOR;
    sct_block file = {(char *)output->bytes + header->offset, by_rows ? header->cols : header->rows,
                      header->rows, header->cols, header->order};
    int64_t lines = by_rows ? block->rows : block->cols;
    size_t bytes = (size_t)(by_rows ? block->cols : block->rows) * sct_type_bytes(header->type);
    for (int64_t i = 0; i < lines; i++) {
        int64_t row = by_rows ? i : 0, col = by_rows ? 0 : i;
        memcpy(element_at(header->type, &file, bounds->rows.lo + row, bounds->cols.lo + col),
               element_at(header->type, block, row, col), bytes);
    }
}

sct_status output_write(const sct_world *world, const sct_matrix *matrix, struct output *output) {
    if (sct_matrix_my_replica(matrix) != 0)
        return SCT_OK;
    return tiles_visit(world, matrix, write_tile, output);
}

enum code output_finish(struct output *output, enum code code) {
    if (output->bytes != MAP_FAILED) {
        if (code == CODE_DONE && msync(output->bytes, output->size, MS_SYNC) == -1)
            code = fail(output, errno);
        munmap(output->bytes, output->size);
    }
    interrupt_hold(true);
    if (code == CODE_DONE && rename(output->temporary, output->path) == -1)
        code = fail(output, errno);
    if (code != CODE_DONE)
        unlink(output->temporary);
    interrupt_remove("");
    interrupt_hold(false);
    return code;
}
