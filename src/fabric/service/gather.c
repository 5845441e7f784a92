/* gather.c - an allgather and an allreduce by messages, in rounds. In each, a rank has what the
 * ranks that follow it had, and passes all of it on to the rank that lies as far before it: twice
 * as far in each round.
 *
 * What a rank has is a run of ranks, which may go on at rank 0, so it travels as up to two pieces;
 * each as one or more messages. */
#include "fabric/service/state.h"

#include <string.h>

/* Of a waiting rank: polls before it sleeps, and the longest sleep in milliseconds. A message ends
 * a sleep, if the wire can. */
enum { YIELDS = 20, SLEEP_MS = 5, NAP_US = 200 };

enum { MOST_WORDS = 64 }; /* reduced at once */

/* The bytes of `count` ranks, beginning with one, in rank order. */
typedef struct stretch {
    char *all;
    size_t bytes; /* of a rank */
    int size, first, count;
    size_t most; /* of a message */
} stretch;

/* The next message of a run after `at` bytes; empty at its end. */
static size_t next_message(const stretch *run, size_t at, char **memory) {
    size_t whole = (size_t)run->count * run->bytes;
    size_t until_end = (size_t)(run->size - run->first) * run->bytes;
    size_t left = at < until_end && until_end < whole ? until_end - at : whole - at;
    *memory = at < until_end ? run->all + (size_t)run->first * run->bytes + at
                             : run->all + (at - until_end);
    return left < run->most ? left : run->most;
}

/* The messages in flight: sent and received. */
typedef struct pair {
    sct_message message[2];
    bool open[2];
    const int *ranks; /* to which, and from which */
} pair;

/* With the mutex held. */
static sct_status begin(sct_service *service, const stretch *runs, size_t *at, pair *flight) {
    const int *ranks = flight->ranks;
    sct_wire *wire = service->wire;
    sct_status status = SCT_OK;
    for (int way = 0; way < 2 && status == SCT_OK; way++) {
        char *memory;
        size_t bytes = next_message(&runs[way], at[way], &memory);
        flight->open[way] = bytes > 0;
        at[way] += bytes;
        if (bytes > 0 && way == 0)
            status = wire->ops->send(wire, ranks[way], SCT_KIND_GATHER, memory, bytes,
                                     &flight->message[way]);
        else if (bytes > 0)
            status = wire->ops->receive(wire, ranks[way], SCT_KIND_GATHER, memory, bytes,
                                        &flight->message[way]);
    }
    return status;
}

/* With the mutex held. */
static void move(sct_service *service, pair *flight, sct_activity *activity) {
    *activity = sct_service_poll(service);
    for (int way = 0; way < 2; way++) {
        bool done = false;
        if (!flight->open[way] || service->failed != SCT_OK)
            continue;
        sct_status status = service->wire->ops->test(service->wire, flight->message[way], &done);
        if (status != SCT_OK)
            sct_service_fail(service, status);
        flight->open[way] = !done;
    }
}

static void rest(sct_service *service, sct_poll_interval *interval, sct_activity activity) {
    sct_wire *wire = service->wire;
    if (interval->yields == 0 && wire->ops->await)
        wire->ops->await(wire, SLEEP_MS);
    else
        sct_poll_interval_rest(interval, activity, NAP_US);
}

static bool is_in_flight(sct_service *service, const void *flying, int rank) {
    const pair *flight = flying;
    (void)service;
    return (flight->open[0] && flight->ranks[0] == rank) ||
           (flight->open[1] && flight->ranks[1] == rank);
}

static sct_status complete(sct_service *service, pair *flight) {
    sct_poll_interval interval = {.yields = YIELDS};
    sct_lookout lookout = sct_lookout_begin(true);
    for (;;) {
        sct_activity activity;
        pthread_mutex_lock(&service->mutex);
        move(service, flight, &activity);
        sct_status status = service->failed == SCT_OK ? SCT_OK : sct_service_failure(service);
        pthread_mutex_unlock(&service->mutex);
        if (status != SCT_OK || (!flight->open[0] && !flight->open[1]))
            return status;
        rest(service, &interval, activity);
        sct_service_look_out(service, &lookout, is_in_flight, flight);
    }
}

static sct_status pass_on(sct_service *service, const stretch runs[2], const int ranks[2]) {
    size_t at[2] = {0, 0}, ends[2];
    for (int way = 0; way < 2; way++)
        ends[way] = (size_t)runs[way].count * runs[way].bytes;
    sct_status status = SCT_OK;
    while (status == SCT_OK && (at[0] < ends[0] || at[1] < ends[1])) {
        pair flight = {.ranks = ranks};
        pthread_mutex_lock(&service->mutex);
        status = service->failed == SCT_OK ? begin(service, runs, at, &flight) : SCT_OK;
        if (status != SCT_OK)
            sct_service_fail(service, status);
        pthread_mutex_unlock(&service->mutex);
        status = complete(service, &flight);
    }
    return status;
}

sct_status sct_service_gather(sct_service *service, const void *mine, size_t bytes, void *all) {
    int rank = service->wire->rank, size = service->wire->size;
    sct_status status = sct_service_status(service);
    memcpy((char *)all + (size_t)rank * bytes, mine, bytes);
    atomic_store(&service->rank_polls, true);
    for (int far = 1; far < size && status == SCT_OK; far *= 2) {
        int count = far < size - far ? far : size - far;
        int ranks[2] = {(rank + size - far) % size, (rank + far) % size};
        stretch sent = {all, bytes, size, rank, count, service->wire->most_bytes}, received = sent;
        received.first = ranks[1];
        status = pass_on(service, (const stretch[2]){sent, received}, ranks);
    }
    atomic_store(&service->rank_polls, false);
    return status;
}

/* Reduces as many words as go on the stack. */
static sct_status reduce(sct_service *service, sct_reduction how, uint64_t *words, size_t count) {
    uint64_t theirs[MOST_WORDS] = {0};
    int rank = service->wire->rank, size = service->wire->size;
    sct_status status = SCT_OK;
    for (int far = 1; far < size && status == SCT_OK; far *= 2) {
        int ranks[2] = {(rank + size - far) % size, (rank + far) % size};
        stretch sent = {(char *)words, count * sizeof *words, 1, 0, 1, service->wire->most_bytes};
        stretch received = sent;
        received.all = (char *)theirs;
        status = pass_on(service, (const stretch[2]){sent, received}, ranks);
        if (status == SCT_OK)
            sct_reduce_words(how, words, theirs, count);
    }
    return status;
}

sct_status sct_service_reduce(sct_service *service, sct_reduction how, uint64_t *words,
                              size_t count) {
    sct_status status = sct_service_status(service);
    atomic_store(&service->rank_polls, true);
    for (size_t from = 0; from < count && status == SCT_OK; from += MOST_WORDS)
        status = reduce(service, how, words + from,
                        count - from < MOST_WORDS ? count - from : MOST_WORDS);
    atomic_store(&service->rank_polls, false);
    return status;
}
