/* far_transfers.c - a queue of transfers, and a thread that takes them out at random.
 *
 * A ticket is open while its transfer is queued or running. */
#include "fabric/threads/far_transfers.h"

#include "base/random.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct transfer_entry {
    uint64_t ticket;
    sct_transfer transfer;
} transfer_entry;

struct sct_far_transfers {
    pthread_t thread;
    uint64_t random; /* used by the thread */
    int delay_us;
    uint64_t last_ticket;  /* used by the rank */
    pthread_mutex_t mutex; /* guards everything below */
    pthread_cond_t sent, carried;
    bool closing;
    uint64_t carrying;     /* ticket of the running transfer; 0: none */
    transfer_entry *queue; /* unordered */
    size_t queued, room;
};

/* With the mutex held. */
static transfer_entry take_any(sct_far_transfers *far_transfers) {
    size_t at = sct_random_next(&far_transfers->random) % far_transfers->queued;
    transfer_entry taken = far_transfers->queue[at];
    far_transfers->queue[at] = far_transfers->queue[--far_transfers->queued];
    return taken;
}

static void *carry(void *arg) {
    sct_far_transfers *far_transfers = arg;
    pthread_mutex_lock(&far_transfers->mutex);
    for (;;) {
        while (far_transfers->queued == 0 && !far_transfers->closing)
            pthread_cond_wait(&far_transfers->sent, &far_transfers->mutex);
        if (far_transfers->queued == 0)
            break;
        transfer_entry taken = take_any(far_transfers);
        far_transfers->carrying = taken.ticket;
        pthread_mutex_unlock(&far_transfers->mutex);
        sct_random_delay(&far_transfers->random, far_transfers->delay_us);
        sct_transfer_run(&taken.transfer);
        pthread_mutex_lock(&far_transfers->mutex);
        far_transfers->carrying = 0;
        pthread_cond_signal(&far_transfers->carried);
    }
    pthread_mutex_unlock(&far_transfers->mutex);
    return NULL;
}

sct_status sct_far_transfers_open(uint64_t seed, int delay_us, sct_far_transfers **far_transfers) {
    sct_far_transfers *made = malloc(sizeof *made);
    if (!made)
        return sct_no_memory("a far_transfers");
    *made = (sct_far_transfers){.random = seed,
                                .delay_us = delay_us,
                                .mutex = PTHREAD_MUTEX_INITIALIZER,
                                .sent = PTHREAD_COND_INITIALIZER,
                                .carried = PTHREAD_COND_INITIALIZER};
    int error = pthread_create(&made->thread, NULL, carry, made);
    if (error != 0) {
        free(made);
        return sct_fail(SCT_FAILED, "could not start a far_transfers thread: error %d", error);
    }
    *far_transfers = made;
    return SCT_OK;
}

void sct_far_transfers_close(sct_far_transfers *far_transfers) {
    pthread_mutex_lock(&far_transfers->mutex);
    far_transfers->closing = true;
    pthread_cond_signal(&far_transfers->sent);
    pthread_mutex_unlock(&far_transfers->mutex);
    pthread_join(far_transfers->thread, NULL);
    pthread_cond_destroy(&far_transfers->sent);
    pthread_cond_destroy(&far_transfers->carried);
    pthread_mutex_destroy(&far_transfers->mutex);
    free(far_transfers->queue);
    free(far_transfers);
}

/* With the mutex held. */
static bool make_room(sct_far_transfers *far_transfers) {
    if (far_transfers->queued < far_transfers->room)
        return true;
    size_t room = far_transfers->room > 0 ? 2 * far_transfers->room : 16;
    transfer_entry *queue = realloc(far_transfers->queue, room * sizeof *queue);
    if (!queue)
        return false;
    far_transfers->queue = queue;
    far_transfers->room = room;
    return true;
}

sct_status sct_far_transfers_send(sct_far_transfers *far_transfers, const sct_transfer *transfer,
                                  uint64_t *ticket) {
    pthread_mutex_lock(&far_transfers->mutex);
    bool room = make_room(far_transfers);
    if (room) {
        *ticket = ++far_transfers->last_ticket;
        far_transfers->queue[far_transfers->queued++] = (transfer_entry){*ticket, *transfer};
        pthread_cond_signal(&far_transfers->sent);
    }
    pthread_mutex_unlock(&far_transfers->mutex);
    return room ? SCT_OK : sct_no_memory("one more transfer");
}

/* With the mutex held. */
static bool is_open(const sct_far_transfers *far_transfers, uint64_t ticket) {
    if (far_transfers->carrying == ticket)
        return true;
    for (size_t i = 0; i < far_transfers->queued; i++) {
        if (far_transfers->queue[i].ticket == ticket)
            return true;
    }
    return false;
}

bool sct_far_transfers_done(sct_far_transfers *far_transfers, uint64_t ticket) {
    pthread_mutex_lock(&far_transfers->mutex);
    bool open = is_open(far_transfers, ticket);
    pthread_mutex_unlock(&far_transfers->mutex);
    return !open;
}

void sct_far_transfers_wait(sct_far_transfers *far_transfers, uint64_t ticket) {
    pthread_mutex_lock(&far_transfers->mutex);
    while (is_open(far_transfers, ticket))
        pthread_cond_wait(&far_transfers->carried, &far_transfers->mutex);
    pthread_mutex_unlock(&far_transfers->mutex);
}
