/* frame.c - sends and receives whole frames. */
#include "launch/frame.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Far more than ranks exchange; a longer frame is none of ours. */
static const uint64_t most_bytes = (uint64_t)1 << 32;

enum { HEAD = offsetof(struct frame, data) };

/* True if a signal is waiting that is to end this process. It is blocked, to be read. */
static bool is_to_end(void) {
    sigset_t waiting;
    return sigpending(&waiting) == 0 &&
           (sigismember(&waiting, SIGINT) > 0 || sigismember(&waiting, SIGTERM) > 0 ||
            sigismember(&waiting, SIGHUP) > 0);
}

bool frame_write(int fd, const void *data, size_t bytes) {
    for (size_t at = 0; at < bytes;) {
        ssize_t written = write(fd, (const char *)data + at, bytes - at);
        bool late = written < 0 && errno == EAGAIN; /* the other side does not read */
        if (late ? is_to_end() : written < 0 && errno != EINTR)
            return false;
        at += written > 0 ? (size_t)written : 0;
    }
    return true;
}

bool frame_send(int fd, enum frame_kind kind, const void *data, size_t bytes) {
    const struct frame head = {kind, bytes, NULL};
    return frame_write(fd, &head, HEAD) && frame_write(fd, data, bytes);
}

/* Checks the kind as soon as it has arrived, so that other text is noticed at once. Allocates
 * memory for the data when the head is complete. */
static bool check_head(struct frame_part *part) {
    struct frame *frame = &part->frame;
    if (part->got >= sizeof frame->kind && (frame->kind < FRAME_GATHER || frame->kind > FRAME_LAST))
        return false;
    if (part->got < HEAD || frame->data)
        return true;
    return frame->bytes <= most_bytes && (frame->data = malloc(frame->bytes + 1));
}

enum frame_came frame_read(int fd, struct frame_part *part, struct frame *frame) {
    bool in_head = part->got < HEAD;
    char *to = in_head ? (char *)&part->frame + part->got : part->frame.data + part->got - HEAD;
    size_t missing = in_head ? HEAD - part->got : HEAD + part->frame.bytes - part->got;
    ssize_t got = read(fd, to, missing);
    bool failed = got == 0 || (got < 0 && errno != EINTR);
    part->got += got > 0 ? (size_t)got : 0;
    bool whole = !failed && check_head(part);
    if (whole && (part->got < HEAD || part->got < HEAD + part->frame.bytes))
        return FRAME_MORE;
    *frame = part->frame;
    *part = (struct frame_part){.got = 0};
    if (whole)
        return FRAME_WHOLE;
    free(frame->data);
    frame->data = NULL;
    return FRAME_GONE;
}

bool frame_receive(int fd, struct frame *frame) {
    struct frame_part part = {.got = 0};
    enum frame_came came;
    do
        came = frame_read(fd, &part, frame);
    while (came == FRAME_MORE);
    return came == FRAME_WHOLE;
}
