/* input.c - .npy files as matrices that every rank can read. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Maps a regular file that is not empty. */
static bool map_file(int fd, struct input *input) {
    struct stat about;
    if (fstat(fd, &about) == -1) {
        report_error("%s: %s", input->path, strerror(errno));
        return false;
    }
    if (!S_ISREG(about.st_mode) || about.st_size == 0) {
        report_error("%s: it is not a .npy file: it is %s", input->path,
                     S_ISREG(about.st_mode) ? "empty" : "not a regular file");
        return false;
    }
    input->size = (size_t)about.st_size;
    void *bytes = mmap(NULL, input->size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) {
        report_error("%s: %s", input->path, strerror(errno));
        return false;
    }
    input->bytes = bytes;
    return true;
}

/* Does not wait for the other end of what turns out to be a pipe. */
static bool open_file(struct input *input) {
    int fd = open(input->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd == -1) {
        report_error("%s: %s", input->path, strerror(errno));
        return false;
    }
    bool mapped = map_file(fd, input);
    close(fd);
    return mapped;
}

static enum code create_layout(int64_t ranks, struct input *input) {
    const struct npy_header *header = &input->header;
    sct_layout *one = NULL, *each = NULL;
    sct_status status = sct_layout_create_row(header->rows, header->cols, 1, &one);
    if (status == SCT_OK)
        status = sct_layout_replicate(one, (int)ranks, &each);
    if (status == SCT_OK)
        status = sct_layout_store(each, header->order, &input->layout);
    if (status != SCT_OK)
        report_error("%s: %s", input->path, sct_last_reason());
    sct_layout_destroy(each);
    sct_layout_destroy(one);
    return status == SCT_OK ? CODE_DONE : CODE_FAILED;
}

enum code input_open(const char *path, int64_t ranks, struct input *input) {
    char why[NPY_WHY_BYTES];
    *input = (struct input){.path = path};
    if (!open_file(input))
        return CODE_FAILED;
    enum code code = CODE_FAILED;
    if (npy_parse(input->bytes, input->size, path, &input->header, why))
        code = create_layout(ranks, input);
    else
        report_error("%s: %s", path, why);
    if (code != CODE_DONE)
        input_close(input);
    return code;
}

void input_close(struct input *input) {
    if (input->bytes)
        munmap(input->bytes, input->size);
    sct_layout_destroy(input->layout);
    *input = (struct input){.path = NULL};
}

sct_status input_wrap(sct_world *world, const struct input *input, sct_matrix **matrix) {
    void *elements = (char *)input->bytes + input->header.offset;
    return sct_matrix_wrap(world, input->header.type, input->layout, elements, 0, matrix);
}

sct_status input_read(sct_world *world, const struct input *input, sct_matrix *to) {
    sct_matrix *file;
    sct_status status = input_wrap(world, input, &file);
    if (status != SCT_OK)
        return status;
    status = sct_copy(SCT_N, sct_whole(file), sct_whole(to), NULL);
    sct_matrix_destroy(file);
    return status;
}
