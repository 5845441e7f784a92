/* service.c - a service's life, its thread, and what ranks call.
 *
 * One thread at a time polls: the rank's own while it waits, else the service's, which naps in
 * between, for longer and longer while nothing comes. A piece takes about a millisecond on a slow
 * wire and several are under way, so that naps do not leave it idle. */
#include "fabric/service_state.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* In microseconds. */
enum {
    NAP_SHORTEST = 50,
    NAP_IDLE = 1000,   /* of the thread, if nothing is under way */
    NAP_TRAFFIC = 400, /* of the thread, if something is */
    NAP_WAITING = 200, /* of a rank that waits */
    LAST_US = 2000000  /* until what is under way at the end is given up */
};

enum { YIELDS = 20 };

static void nap(long us) {
    nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
}

/* The nap after one of `last` microseconds. */
static long nap_next(long last, bool active, long longest) {
    if (active || last == 0)
        return NAP_SHORTEST;
    return 2 * last < longest ? 2 * last : longest;
}

/* ---- Progress, with the mutex held ---- */

/* Others learn it if the wire still carries a letter. */
static void end(sct_service *service, sct_status status) {
    const sct_wire *wire = service->wire;
    service->failed = status;
    snprintf(service->reason, sizeof service->reason, "%s", sct_last_reason());
    wire->ops->cancel(service->wire);
    service->end.wish = SCT_WISH_END;
    memcpy(service->end.bytes, service->reason, sizeof service->reason);
    for (int i = 1; i < wire->size && !service->told; i++) {
        sct_message ignored;
        wire->ops->send(service->wire, (wire->rank + i) % wire->size, SCT_KIND_ASK, &service->end,
                        SCT_LETTER_HEAD + sizeof service->reason, &ignored);
    }
}

/* Returns whether anything came or went. */
static bool progress(sct_service *service) {
    bool active = false;
    if (service->failed != SCT_OK)
        return false;
    sct_status status = service->wire->ops->progress(service->wire);
    if (status == SCT_OK)
        status = sct_answers_progress(service, &active);
    if (status == SCT_OK)
        status = sct_asks_progress(service, &active);
    if (status != SCT_OK)
        end(service, status);
    return active;
}

static bool is_busy(const sct_service *service) {
    return service->failed == SCT_OK && service->asks_open + service->answers_open > 0;
}

static void *serve(void *arg) {
    sct_service *service = arg;
    long us = 0;
    while (!atomic_load(&service->closing)) {
        bool active = false, busy = false;
        if (!atomic_load(&service->attended)) {
            pthread_mutex_lock(&service->mutex);
            active = progress(service);
            busy = is_busy(service);
            pthread_mutex_unlock(&service->mutex);
        }
        us = nap_next(us, active, busy ? NAP_TRAFFIC : NAP_IDLE);
        nap(us);
    }
    return NULL;
}

/* ---- Life ---- */

static void free_service(sct_service *service) {
    service->wire->ops->close(service->wire);
    pthread_mutex_destroy(&service->mutex);
    free(service->demands);
    free(service->offers);
    free(service->asks_of);
    free(service->memory);
    free(service);
}

static void share_memory(sct_service *service) {
    char *at = service->memory;
    for (int i = 0; i < SCT_ASKS; i++) {
        service->asks[i].letter = (void *)at;
        memset(at, 0, sizeof(sct_letter)); /* the gap in its head travels, too */
        service->asks[i].buffer = at + sizeof(sct_letter);
        at += sizeof(sct_letter) + service->piece;
    }
    for (int i = 0; i < SCT_ANSWERS; i++) {
        service->answers[i].buffer = at;
        at += service->piece;
    }
}

static sct_status allocate(sct_service *service) {
    size_t bytes = SCT_ASKS * (sizeof(sct_letter) + service->piece) + SCT_ANSWERS * service->piece;
    service->asks_of = calloc((size_t)service->wire->size, sizeof *service->asks_of);
    service->memory = aligned_alloc(SCT_CUT_GRAIN, bytes);
    if (!service->memory || !service->asks_of)
        return sct_fail(SCT_NO_MEMORY, "no memory for a service: %zu bytes", bytes);
    share_memory(service);
    return SCT_OK;
}

static sct_status start(sct_service *service) {
    if (service->wire->most_bytes < sizeof(sct_letter))
        return sct_fail(SCT_FAILED, "messages of %zu bytes are too short",
                        service->wire->most_bytes);
    sct_status status = allocate(service);
    if (status != SCT_OK || !service->wire->threaded)
        return status;
    int error = pthread_create(&service->thread, NULL, serve, service);
    if (error != 0)
        return sct_fail(SCT_FAILED, "could not start a service thread: error %d", error);
    service->has_thread = true;
    return SCT_OK;
}

sct_status sct_service_create(sct_wire *wire, sct_service **service) {
    sct_service *made = aligned_alloc(_Alignof(sct_service), sizeof *made);
    if (!made) {
        wire->ops->close(wire);
        return sct_fail(SCT_NO_MEMORY, "no memory for a service");
    }
    size_t piece =
        wire->most_bytes < SCT_PIECE_MOST_BYTES ? wire->most_bytes : SCT_PIECE_MOST_BYTES;
    *made = (sct_service){.wire = wire,
                          .piece = piece - piece % SCT_CUT_GRAIN,
                          .mutex = PTHREAD_MUTEX_INITIALIZER,
                          .free_demand = -1,
                          .first = -1,
                          .last = -1};
    sct_status status = start(made);
    if (status != SCT_OK) {
        free_service(made);
        return status;
    }
    *service = made;
    return SCT_OK;
}

/* What others have got need not be known here to have gone. */
static void finish(sct_service *service) {
    long us = 0, spent = 0;
    for (; spent < LAST_US; spent += us) {
        bool active = progress(service);
        if (!is_busy(service))
            return;
        us = nap_next(us, active, NAP_WAITING);
        nap(us);
    }
}

void sct_service_destroy(sct_service *service) {
    atomic_store(&service->closing, true);
    if (service->has_thread)
        pthread_join(service->thread, NULL);
    finish(service);
    free_service(service);
}

/* ---- What is offered ---- */

sct_status sct_service_offer(sct_service *service, uint64_t id, int count, const sct_memory *blocks,
                             sct_bands *bands) {
    sct_status status = SCT_OK;
    pthread_mutex_lock(&service->mutex);
    if (service->offers_count == service->offers_room) {
        int room = 2 * service->offers_room + 8;
        sct_offer *offers = realloc(service->offers, (size_t)room * sizeof *offers);
        if (offers) {
            service->offers = offers;
            service->offers_room = room;
        } else {
            status = sct_fail(SCT_NO_MEMORY, "no memory to offer one more segment");
        }
    }
    if (status == SCT_OK)
        service->offers[service->offers_count++] = (sct_offer){id, count, blocks, bands};
    pthread_mutex_unlock(&service->mutex);
    return status;
}

void sct_service_withdraw(sct_service *service, uint64_t id) {
    pthread_mutex_lock(&service->mutex);
    int kept = 0;
    for (int i = 0; i < service->offers_count; i++) {
        if (service->offers[i].id != id)
            service->offers[kept++] = service->offers[i];
    }
    service->offers_count = kept;
    pthread_mutex_unlock(&service->mutex);
}

/* ---- What ranks ask for ---- */

/* The mutex is not held. */
static sct_status failure(const sct_service *service) {
    return sct_fail(service->failed, "%s", service->reason);
}

/* Sends what can be sent at once, so that no thread has to wake up for it. */
static sct_status demand(sct_service *service, sct_wish wish, sct_type type,
                         const sct_place_far *place, char *local, size_t pitch,
                         sct_ticket *ticket) {
    if (place->lines == 0 || place->width == 0) {
        *ticket = 0;
        return SCT_OK;
    }
    bool ignored = false;
    sct_ticket opened = 0;
    pthread_mutex_lock(&service->mutex);
    sct_status status = SCT_OK;
    bool failed = service->failed != SCT_OK;
    if (!failed)
        status = sct_demand_open(service, wish, type, place, local, pitch, &opened);
    if (!failed && status == SCT_OK) {
        sct_status asked = sct_asks_progress(service, &ignored);
        if (asked != SCT_OK)
            end(service, asked);
    }
    pthread_mutex_unlock(&service->mutex);
    if (failed)
        return failure(service);
    if (status == SCT_OK)
        *ticket = opened;
    return status;
}

sct_status sct_service_get(sct_service *service, const sct_place_far *from, void *to, size_t pitch,
                           sct_ticket *ticket) {
    return demand(service, SCT_WISH_GET, SCT_F32, from, to, pitch, ticket);
}

/* Of what is added nothing is written. */
sct_status sct_service_accumulate(sct_service *service, sct_type type, const void *from,
                                  size_t pitch, const sct_place_far *to, sct_ticket *ticket) {
    return demand(service, SCT_WISH_ADD, type, to, (char *)from, pitch, ticket);
}

/* Yields, then naps. */
static void rest(bool active, int *idle, long *us) {
    *idle = active ? 0 : *idle + 1;
    if (*idle <= YIELDS) {
        *us = 0;
        sched_yield();
        return;
    }
    *us = nap_next(*us, false, NAP_WAITING);
    nap(*us);
}

sct_status sct_service_wait(sct_service *service, sct_ticket ticket) {
    int idle = 0;
    long us = 0;
    bool open, failed;
    atomic_store(&service->attended, true);
    for (;;) {
        pthread_mutex_lock(&service->mutex);
        bool active = sct_demand_is_open(service, ticket) && progress(service);
        open = sct_demand_is_open(service, ticket);
        failed = service->failed != SCT_OK;
        pthread_mutex_unlock(&service->mutex);
        if (!open || failed)
            break;
        rest(active, &idle, &us);
    }
    atomic_store(&service->attended, false);
    return open ? failure(service) : SCT_OK;
}

bool sct_service_done(sct_service *service, sct_ticket ticket) {
    pthread_mutex_lock(&service->mutex);
    if (sct_demand_is_open(service, ticket))
        progress(service);
    bool done = !sct_demand_is_open(service, ticket) || service->failed != SCT_OK;
    pthread_mutex_unlock(&service->mutex);
    return done;
}

void sct_service_progress(sct_service *service) {
    pthread_mutex_lock(&service->mutex);
    progress(service);
    pthread_mutex_unlock(&service->mutex);
}

bool sct_service_has_thread(const sct_service *service) {
    return service->has_thread;
}
