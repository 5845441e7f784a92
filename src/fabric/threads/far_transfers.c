/* far_transfers.c - a queue of transfers and the thread that takes them out of it at random.
 *
 * A ticket is open while its errand is queued or under way; every other one is done. */
#include "fabric/threads/far_transfers.h"

#include "base/random.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct errand {
    uint64_t ticket;
    sct_transfer transfer;
} errand;

struct sct_courier {
    pthread_t thread;
    uint64_t random; /* the thread's */
    int delay_us;
    uint64_t last_ticket;  /* the rank's */
    pthread_mutex_t mutex; /* of all below */
    pthread_cond_t sent, carried;
    bool closing;
    uint64_t carrying; /* the ticket; 0: none */
    errand *queue;     /* in no order */
    size_t queued, room;
};

/* With the mutex held. */
static errand take_any(sct_courier *courier) {
    size_t at = sct_random_next(&courier->random) % courier->queued;
    errand taken = courier->queue[at];
    courier->queue[at] = courier->queue[--courier->queued];
    return taken;
}

static void *carry(void *arg) {
    sct_courier *courier = arg;
    pthread_mutex_lock(&courier->mutex);
    for (;;) {
        while (courier->queued == 0 && !courier->closing)
            pthread_cond_wait(&courier->sent, &courier->mutex);
        if (courier->queued == 0)
            break;
        errand taken = take_any(courier);
        courier->carrying = taken.ticket;
        pthread_mutex_unlock(&courier->mutex);
        sct_random_delay(&courier->random, courier->delay_us);
        sct_transfer_run(&taken.transfer);
        pthread_mutex_lock(&courier->mutex);
        courier->carrying = 0;
        pthread_cond_signal(&courier->carried);
    }
    pthread_mutex_unlock(&courier->mutex);
    return NULL;
}

sct_status sct_courier_open(uint64_t seed, int delay_us, sct_courier **courier) {
    sct_courier *made = malloc(sizeof *made);
    if (!made)
        return sct_no_memory("a courier");
    *made = (sct_courier){.random = seed,
                          .delay_us = delay_us,
                          .mutex = PTHREAD_MUTEX_INITIALIZER,
                          .sent = PTHREAD_COND_INITIALIZER,
                          .carried = PTHREAD_COND_INITIALIZER};
    int error = pthread_create(&made->thread, NULL, carry, made);
    if (error != 0) {
        free(made);
        return sct_fail(SCT_FAILED, "could not start a courier thread: error %d", error);
    }
    *courier = made;
    return SCT_OK;
}

void sct_courier_close(sct_courier *courier) {
    pthread_mutex_lock(&courier->mutex);
    courier->closing = true;
    pthread_cond_signal(&courier->sent);
    pthread_mutex_unlock(&courier->mutex);
    pthread_join(courier->thread, NULL);
    pthread_cond_destroy(&courier->sent);
    pthread_cond_destroy(&courier->carried);
    pthread_mutex_destroy(&courier->mutex);
    free(courier->queue);
    free(courier);
}

/* With the mutex held. */
static bool make_room(sct_courier *courier) {
    if (courier->queued < courier->room)
        return true;
    size_t room = courier->room > 0 ? 2 * courier->room : 16;
    errand *queue = realloc(courier->queue, room * sizeof *queue);
    if (!queue)
        return false;
    courier->queue = queue;
    courier->room = room;
    return true;
}

sct_status sct_courier_send(sct_courier *courier, const sct_transfer *transfer, uint64_t *ticket) {
    pthread_mutex_lock(&courier->mutex);
    bool room = make_room(courier);
    if (room) {
        *ticket = ++courier->last_ticket;
        courier->queue[courier->queued++] = (errand){*ticket, *transfer};
        pthread_cond_signal(&courier->sent);
    }
    pthread_mutex_unlock(&courier->mutex);
    return room ? SCT_OK : sct_no_memory("one more transfer");
}

/* With the mutex held. */
static bool is_open(const sct_courier *courier, uint64_t ticket) {
    if (courier->carrying == ticket)
        return true;
    for (size_t i = 0; i < courier->queued; i++) {
        if (courier->queue[i].ticket == ticket)
            return true;
    }
    return false;
}

bool sct_courier_done(sct_courier *courier, uint64_t ticket) {
    pthread_mutex_lock(&courier->mutex);
    bool open = is_open(courier, ticket);
    pthread_mutex_unlock(&courier->mutex);
    return !open;
}

void sct_courier_wait(sct_courier *courier, uint64_t ticket) {
    pthread_mutex_lock(&courier->mutex);
    while (is_open(courier, ticket))
        pthread_cond_wait(&courier->carried, &courier->mutex);
    pthread_mutex_unlock(&courier->mutex);
}
