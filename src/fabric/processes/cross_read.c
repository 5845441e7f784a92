/* cross_read.c - reads lines of another process by process_vm_readv, many in one call. */
#include "fabric/processes/cross_read.h"

#include "base/checked.h"

#include <sys/uio.h>

enum { MOST_LINES = 512 };     /* of a call; systems allow 1024 */
enum { MOST_BYTES = 1 << 30 }; /* of a call; Linux reads at most 2 GiB */

/* Reads `lines` whole lines, as many as the lists have entries. */
static bool read_lines(pid_t owner, const sct_transfer *copy, int64_t line, int64_t lines) {
    struct iovec here[MOST_LINES], there[MOST_LINES];
    for (int64_t i = 0; i < lines; i++) {
        here[i] = (struct iovec){copy->to + (size_t)(line + i) * copy->to_pitch, copy->width};
        there[i] =
            (struct iovec){(char *)copy->from + (size_t)(line + i) * copy->from_pitch, copy->width};
    }
    ssize_t got =
        process_vm_readv(owner, here, (unsigned long)lines, there, (unsigned long)lines, 0);
    return got == (ssize_t)((size_t)lines * copy->width);
}

/* Reads a line that is too long for one call. */
static bool read_long_line(pid_t owner, const sct_transfer *copy, int64_t line) {
    for (size_t at = 0; at < copy->width; at += MOST_BYTES) {
        size_t left = copy->width - at;
        sct_transfer part = *copy;
        part.from += at;
        part.to += at;
        part.width = left < MOST_BYTES ? left : MOST_BYTES;
        if (!read_lines(owner, &part, line, 1))
            return false;
    }
    return true;
}

bool sct_cross_read(pid_t owner, const sct_transfer *copy) {
    sct_transfer joined = *copy;
    if (copy->from_pitch == copy->width && copy->to_pitch == copy->width) {
        joined.width *= (size_t)copy->lines;
        joined.lines = 1;
    }
    bool read = true;
    if (joined.width > MOST_BYTES) {
        for (int64_t line = 0; line < joined.lines && read; line++)
            read = read_long_line(owner, &joined, line);
        return read;
    }
    int64_t at_once = sct_min(MOST_LINES, (int64_t)(MOST_BYTES / joined.width));
    for (int64_t line = 0; line < joined.lines && read; line += at_once)
        read = read_lines(owner, &joined, line, sct_min(at_once, joined.lines - line));
    return read;
}
