/* frame.c - makes and receives whole frames; writes those that wait in a queue, without ever
 * waiting itself. */
#include "launch/frame.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- Queues ---- */

struct parcel *parcel_create(size_t bytes) {
    struct parcel *parcel = malloc(sizeof *parcel + bytes);
    if (parcel)
        *parcel = (struct parcel){.holders = 1, .bytes = bytes};
    return parcel;
}

void parcel_drop(struct parcel *parcel) {
    if (parcel && --parcel->holders == 0)
        free(parcel);
}

bool queue_add(struct queue *queue, struct parcel *parcel) {
    if (!parcel)
        return false;
    if (queue->count == queue->room) {
        int room = 2 * queue->room + 4;
        struct parcel **more = realloc(queue->parcels, (size_t)room * sizeof *more);
        if (!more)
            return false;
        queue->parcels = more;
        queue->room = room;
    }
    parcel->holders++;
    queue->parcels[queue->count++] = parcel;
    queue->bytes += parcel->bytes;
    return true;
}

/* A pipe or a terminal for which poll reports room takes PIPE_BUF bytes without a wait. Others may
 * share the descriptor, so it cannot be made one that never waits. */
static ssize_t write_some(int fd, const void *data, size_t bytes) {
    ssize_t sent = send(fd, data, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0 || errno != ENOTSOCK)
        return sent;
    struct pollfd watched = {.fd = fd, .events = POLLOUT};
    if (poll(&watched, 1, 0) == 1)
        return write(fd, data, bytes < PIPE_BUF ? bytes : PIPE_BUF);
    errno = EAGAIN;
    return -1;
}

static void remove_first(struct queue *queue) {
    parcel_drop(queue->parcels[0]);
    memmove(queue->parcels, queue->parcels + 1, (size_t)--queue->count * sizeof *queue->parcels);
    queue->written = 0;
}

bool queue_flush(struct queue *queue, int fd) {
    while (queue->count > 0) {
        const struct parcel *first = queue->parcels[0];
        size_t left = first->bytes - queue->written;
        ssize_t written = write_some(fd, first->data + queue->written, left);
        if (written < 0 && (errno == EAGAIN || errno == EINTR))
            return true;
        if (written < 0) {
            queue_clear(queue);
            return false;
        }
        queue->written += (size_t)written;
        queue->bytes -= (size_t)written;
        if (queue->written == first->bytes)
            remove_first(queue);
    }
    return true;
}

void queue_clear(struct queue *queue) {
    while (queue->count > 0)
        remove_first(queue);
    free(queue->parcels);
    *queue = (struct queue){.count = 0};
}

/* ---- Frames ---- */

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
