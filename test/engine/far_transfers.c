/* far_transfers.c - a queue of transfers, and a thread that takes them out at random.
 *
 * A ticket is open while its transfer is queued or running. */
#include "engine/far_transfers.h"

#include "base/memory.h"
#include "base/thread.h"
#include "engine/random.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct transfer_entry {
    uint64_t ticket;
    sct_transfer transfer;
} transfer_entry;

struct far_transfers {
    pthread_t thread;
    uint64_t random; /* used by the thread */
    int delay_us;
    uint64_t last_ticket;  /* used by the rank */
    pthread_mutex_t mutex; /* guards everything below */
    pthread_cond_t added, finished;
    bool closing;
    uint64_t running;      /* ticket of the running transfer; 0: none */
    uint64_t awaited;      /* ticket for which the rank waits; 0: none */
    transfer_entry *queue; /* unordered */
    int64_t queued, room;
};

/* With the mutex held. */
static transfer_entry take_any(far_transfers *far) {
    size_t at = random_next(&far->random) % (size_t)far->queued;
    transfer_entry taken = far->queue[at];
    far->queue[at] = far->queue[--far->queued];
    return taken;
}

static void *run_transfers(void *arg) {
    far_transfers *far = arg;
    pthread_mutex_lock(&far->mutex);
    for (;;) {
        while (far->queued == 0 && !far->closing)
            pthread_cond_wait(&far->added, &far->mutex);
        if (far->queued == 0)
            break;
        transfer_entry taken = take_any(far);
        far->running = taken.ticket;
        pthread_mutex_unlock(&far->mutex);
        random_delay(&far->random, far->delay_us);
        sct_transfer_run(&taken.transfer);
        pthread_mutex_lock(&far->mutex);
        far->running = 0;
        if (taken.ticket == far->awaited)
            pthread_cond_signal(&far->finished);
    }
    pthread_mutex_unlock(&far->mutex);
    return NULL;
}

sct_status far_transfers_open(uint64_t seed, int delay_us, far_transfers **far) {
    far_transfers *made = malloc(sizeof *made);
    if (!made)
        return sct_no_memory("a thread of far transfers");
    *made = (far_transfers){.random = seed,
                            .delay_us = delay_us,
                            .mutex = PTHREAD_MUTEX_INITIALIZER,
                            .added = PTHREAD_COND_INITIALIZER,
                            .finished = PTHREAD_COND_INITIALIZER};
    int error = sct_thread_create(&made->thread, run_transfers, made);
    if (error != 0) {
        free(made);
        return sct_fail(SCT_FAILED,
                        "could not start a thread for transfers between nodes: error %d", error);
    }
    *far = made;
    return SCT_OK;
}

void far_transfers_close(far_transfers *far) {
    pthread_mutex_lock(&far->mutex);
    far->closing = true;
    pthread_cond_signal(&far->added);
    pthread_mutex_unlock(&far->mutex);
    pthread_join(far->thread, NULL);
    pthread_cond_destroy(&far->added);
    pthread_cond_destroy(&far->finished);
    pthread_mutex_destroy(&far->mutex);
    free(far->queue);
    free(far);
}

/* With the mutex held. */
static bool is_open(const far_transfers *far, uint64_t ticket) {
    if (far->running == ticket)
        return true;
    for (int64_t i = 0; i < far->queued; i++)
        if (far->queue[i].ticket == ticket)
            return true;
    return false;
}

static bool is_done(sct_event event) {
    far_transfers *far = event.of;
    pthread_mutex_lock(&far->mutex);
    bool open = is_open(far, event.number);
    pthread_mutex_unlock(&far->mutex);
    return !open;
}

static sct_status await(sct_event event) {
    far_transfers *far = event.of;
    pthread_mutex_lock(&far->mutex);
    far->awaited = event.number;
    while (is_open(far, event.number))
        pthread_cond_wait(&far->finished, &far->mutex);
    far->awaited = 0;
    pthread_mutex_unlock(&far->mutex);
    return SCT_OK;
}

static const sct_event_ops events = {is_done, await};

sct_status far_transfers_send(far_transfers *far, const sct_transfer *transfer,
                              sct_event *reached) {
    pthread_mutex_lock(&far->mutex);
    transfer_entry *queue = sct_memory_grow(far->queue, far->queued, &far->room, sizeof *queue);
    if (queue) {
        uint64_t ticket = ++far->last_ticket;
        queue[far->queued++] = (transfer_entry){ticket, *transfer};
        far->queue = queue;
        *reached = (sct_event){&events, far, ticket};
    }
    pthread_mutex_unlock(&far->mutex);
    pthread_cond_signal(&far->added);
    return queue ? SCT_OK : sct_no_memory("one more transfer");
}

/* The ticket of a transfer that is open; 0: none. */
static uint64_t any_open(far_transfers *far) {
    pthread_mutex_lock(&far->mutex);
    uint64_t ticket = far->queued > 0 ? far->queue[0].ticket : far->running;
    pthread_mutex_unlock(&far->mutex);
    return ticket;
}

void far_transfers_drain(far_transfers *far) {
    for (uint64_t ticket; (ticket = any_open(far)) != 0;)
        await((sct_event){&events, far, ticket});
}
