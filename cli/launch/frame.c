/* frame.c - sends and receives whole frames. */
#include "launch/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Far more than ranks exchange; a longer frame is none of ours. */
static const uint64_t most_bytes = (uint64_t)1 << 32;

enum { HEAD = offsetof(struct frame, data) };

bool frame_write(int fd, const void *data, size_t bytes) {
    for (size_t at = 0; at < bytes;) {
        ssize_t written = write(fd, (const char *)data + at, bytes - at);
        if (written < 0 && errno != EINTR)
            return false;
        at += written > 0 ? (size_t)written : 0;
    }
    return true;
}

static bool read_all(int fd, void *data, size_t bytes) {
    for (size_t at = 0; at < bytes;) {
        ssize_t got = read(fd, (char *)data + at, bytes - at);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        at += got > 0 ? (size_t)got : 0;
    }
    return true;
}

bool frame_send(int fd, enum frame_kind kind, const void *data, size_t bytes) {
    const struct frame head = {kind, bytes, NULL};
    return frame_write(fd, &head, HEAD) && frame_write(fd, data, bytes);
}

bool frame_receive(int fd, struct frame *frame) {
    *frame = (struct frame){.data = NULL};
    if (!read_all(fd, frame, HEAD) || frame->kind > FRAME_LAST || frame->bytes > most_bytes)
        return false;
    frame->data = malloc(frame->bytes + 1);
    if (frame->data && read_all(fd, frame->data, frame->bytes))
        return true;
    free(frame->data);
    frame->data = NULL;
    return false;
}
