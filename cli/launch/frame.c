/* frame.c - makes and receives whole frames. */
#include "launch/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Far more than ranks exchange; a longer frame is none of ours. */
static const uint64_t most_bytes = (uint64_t)1 << 32;

struct parcel *frame_create(enum frame_kind kind, const void *data, size_t bytes) {
    const struct frame head = {kind, bytes, NULL};
    struct parcel *parcel = parcel_create(FRAME_HEAD + bytes);
    if (parcel)
        memcpy(parcel->data, &head, FRAME_HEAD);
    if (parcel && data)
        memcpy(parcel->data + FRAME_HEAD, data, bytes);
    return parcel;
}

bool frame_add(struct queue *queue, enum frame_kind kind, const void *data, size_t bytes) {
    struct parcel *parcel = frame_create(kind, data, bytes);
    bool added = queue_add(queue, parcel);
    parcel_drop(parcel);
    return added;
}

/* Checks the kind as soon as it has arrived, so that other text is noticed at once. Allocates
 * memory for the data when the head is complete. */
static bool check_head(struct frame_part *part) {
    struct frame *frame = &part->frame;
    if (part->got >= sizeof frame->kind && (frame->kind < FRAME_GATHER || frame->kind > FRAME_LAST))
        return false;
    if (part->got < FRAME_HEAD || frame->data)
        return true;
    return frame->bytes <= most_bytes && (frame->data = malloc(frame->bytes + 1));
}

enum frame_came frame_read(int fd, struct frame_part *part, struct frame *frame) {
    bool in_head = part->got < FRAME_HEAD;
    char *to =
        in_head ? (char *)&part->frame + part->got : part->frame.data + part->got - FRAME_HEAD;
    size_t missing = in_head ? FRAME_HEAD - part->got : FRAME_HEAD + part->frame.bytes - part->got;
    ssize_t got = read(fd, to, missing);
    bool failed = got == 0 || (got < 0 && errno != EINTR);
    part->got += got > 0 ? (size_t)got : 0;
    bool whole = !failed && check_head(part);
    if (whole && (part->got < FRAME_HEAD || part->got < FRAME_HEAD + part->frame.bytes))
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
