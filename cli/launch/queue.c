/* queue.c - writes what waits, without ever waiting itself. */
#include "launch/queue.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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
