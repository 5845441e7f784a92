/* input_load.c - brings the elements of inputs to where all ranks can read them at any place.
 *
 * What is packed, or a text, is unpacked to a file without a name: once on each host, by its first
 * process, whose file the others open through /proc. A process that cannot unpacks its own. */
#include "files/matrix_file.h"
#include "files/matrix_market.h"
#include "output/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the file of another process can be found. */
struct lent {
    long process;
    int fd;
    dev_t device;
    ino_t inode;
};

static bool is_packed(const struct input *input) {
    return input->in_text || (input->in_archive && input->member.packed);
}

static bool unpack_to(struct input *input, int fd, struct progress *progress, char *why) {
    if (input->in_text)
        return matrix_market_read(input->fd, input->size, fd, &input->header, why);
    return zip_unpack(input->fd, &input->member, fd, progress_add, progress, why);
}

/* The elements are in this file now. */
static void take_over(struct input *input, int fd) {
    close(input->fd);
    input->fd = fd;
    input->in_text = input->in_archive = false;
}

static enum code fail(const struct input *input, const char *why) {
    report_error("%s: %s", input->path, why);
    return CODE_FAILED;
}

static enum code unpack(struct input *input, struct progress *progress) {
    char why[WHY_BYTES];
    sct_type type = input->header.type; /* as which it is to be read, whatever the text holds */
    int fd = spool_create();
    if (fd == -1) {
        spool_refuse(why, errno);
        return fail(input, why);
    }
    progress_begin(progress, input->in_archive ? (int64_t)input->member.stored : 0, "unpacking %s",
                   input->path);
    bool unpacked = unpack_to(input, fd, progress, why);
    progress_clear(progress);
    if (!unpacked) {
        close(fd);
        return fail(input, why);
    }
    input->header.type = type;
    take_over(input, fd);
    return CODE_DONE;
}

static bool borrow(struct input *input, const struct lent *lent) {
    char path[80];
    struct stat about;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", lent->process, lent->fd);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd == -1)
        return false;
    bool same =
        fstat(fd, &about) == 0 && about.st_dev == lent->device && about.st_ino == lent->inode;
    if (same)
        take_over(input, fd);
    else
        close(fd);
    return same;
}

static struct lent lend(const struct input *input) {
    struct stat about;
    if (fstat(input->fd, &about) != 0)
        return (struct lent){.process = 0};
    return (struct lent){getpid(), input->fd, about.st_dev, about.st_ino};
}

/* One process alone checks the sum of what is read in place, since that takes all of it. */
static enum code check_sum(struct input *input, struct progress *progress) {
    char why[WHY_BYTES];
    progress_begin(progress, (int64_t)input->member.stored, "checking %s", input->path);
    bool good = zip_check(input->fd, &input->member, progress_add, progress, why);
    progress_clear(progress);
    return good ? CODE_DONE : fail(input, why);
}

/* Does what the first process of a host does, before the others. */
static enum code load_first(const struct rank_group *group, struct progress *progress,
                            struct input *input) {
    if (is_packed(input))
        return unpack(input, progress);
    return input->in_archive && rank_group_leads(group) ? check_sum(input, progress) : CODE_DONE;
}

enum code inputs_load(struct rank_group *group, enum code code, const struct host *host,
                      struct progress *progress, struct input *inputs, int count) {
    for (int i = 0; i < count; i++) {
        bool first = code == CODE_DONE && host->first == group->process;
        if (first)
            code = load_first(group, progress, &inputs[i]);
        struct lent own = lend(&inputs[i]);
        struct lent *all = rank_group_collect(group, &code, &own, sizeof own);
        if (code == CODE_DONE && !first && is_packed(&inputs[i]) &&
            !borrow(&inputs[i], &all[host->first]))
            code = unpack(&inputs[i], progress);
        free(all);
    }
    /* Until all have done so, the first process keeps its files open. */
    return rank_group_agree(group, code);
}
