/* streams.h - what the streams of back ends have in common: how they are kept when they are closed,
 * and which of their events are kept. */
#ifndef SCT_DEVICE_STREAMS_H
#define SCT_DEVICE_STREAMS_H

#include <pthread.h>
#include <stdint.h>

/* The first member of a stream that is kept. */
typedef struct sct_idle {
    struct sct_idle *next;
} sct_idle;

/* Closed streams of a device. They are not freed, since their events may still be used. */
typedef struct sct_idle_streams {
    pthread_mutex_t lock;
    sct_idle *last;
} sct_idle_streams;

/* Takes one out; NULL: there is none. */
static inline void *sct_idle_take(sct_idle_streams *streams) {
    pthread_mutex_lock(&streams->lock);
    sct_idle *taken = streams->last;
    if (taken)
        streams->last = taken->next;
    pthread_mutex_unlock(&streams->lock);
    return taken;
}

static inline void sct_idle_put(sct_idle_streams *streams, sct_idle *stream) {
    pthread_mutex_lock(&streams->lock);
    stream->next = streams->last;
    streams->last = stream;
    pthread_mutex_unlock(&streams->lock);
}

/* The event that stands for a ticket, where a stream keeps those of its last tickets: the ticket's
 * own, or the oldest one, before which the ticket was reached. */
static inline uint64_t sct_kept_ticket(uint64_t ticket, uint64_t tickets, uint64_t kept) {
    uint64_t oldest = tickets < kept ? 1 : tickets - kept + 1;
    return ticket > oldest ? ticket : oldest;
}

#endif
