/* service.c - starts and ends a service, runs its thread, and takes the calls of the rank.
 *
 * One thread polls at a time: the rank's own while it waits, otherwise the service's, whose naps
 * grow while nothing arrives. On a slow wire a piece takes about a millisecond and several are in
 * flight, so naps do not idle it. With nothing in flight, a wire that can wakes the thread, which
 * saves both computation and latency. */
#include "fabric/service/state.h"

#include "base/memory.h"
#include "base/thread.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In microseconds: the longest nap of the thread, and of a waiting rank; the limit of waiting for
 * transfers at the end. In milliseconds: how often the thread checks whether to end. */
enum { NAP_LONGEST = 1000, NAP_WAITING = 200, LAST = 2000000, LOOK_MS = 5 };

/* Polls of a waiting rank before it naps. */
enum { YIELDS = 20 };

/* ---- Progress, with the mutex held ---- */

/* Sends the report of a failure: on all connections that there are, by which every rank has it
 * before it loses its connection to this rank, at most two messages for each connection; without
 * connections to all ranks, unless that of another rank is what this one failed of. */
static void report(sct_service *service, bool reported) {
    sct_wire *wire = service->wire;
    bool connects = wire->ops->is_connected != NULL;
    for (int i = 1; i < wire->size && (connects || !reported); i++) {
        int rank = (wire->rank + i) % wire->size;
        sct_message ignored;
        if (!connects || wire->ops->is_connected(wire, rank))
            wire->ops->send(wire, rank, SCT_KIND_REQUEST, &service->end,
                            SCT_REQUEST_HEAD + sizeof service->reason, &ignored);
    }
}

/* Ends all transfers after a failure, and reports the reason, if the wire still works. */
void sct_service_fail(sct_service *service, sct_status status) {
    service->failed = sct_service_find_report(service, status);
    snprintf(service->reason, sizeof service->reason, "%s", sct_last_reason());
    service->wire->ops->cancel(service->wire);
    if (service->bounce)
        sct_bounce_drain(service->bounce);
    bool reported = service->end.kind == SCT_REQUEST_END;
    if (!reported)
        sct_service_write_report(service, service->wire->rank, service->reason);
    report(service, reported);
}

static sct_status move(sct_service *service, sct_activity *activity) {
    sct_status status = service->wire->ops->progress(service->wire);
    if (status == SCT_OK)
        status = sct_replies_progress(service, activity);
    if (status == SCT_OK)
        status = sct_requests_progress(service, activity);
    return status;
}

/* Polls as long as something arrives, since a wire may deliver in small portions. */
sct_activity sct_service_poll(sct_service *service) {
    enum { ROUNDS = 16 };
    sct_activity activity = {0};
    if (service->sign)
        service->shown = atomic_load(service->sign);
    for (int i = 0, before = -1; i < ROUNDS && activity.count > before; i++) {
        before = activity.count;
        sct_status status = service->failed == SCT_OK ? move(service, &activity) : SCT_OK;
        if (status != SCT_OK)
            sct_service_fail(service, status);
    }
    return activity;
}

static bool is_busy(const sct_service *service) {
    return service->failed == SCT_OK && service->pieces_open + service->replies_open > 0;
}

static void *serve(void *arg) {
    sct_service *service = arg;
    sct_wire *wire = service->wire;
    sct_poll_interval interval = {0};
    while (!atomic_load(&service->closing)) {
        sct_activity activity = {0};
        bool idle = false;
        if (!atomic_load(&service->rank_polls)) {
            pthread_mutex_lock(&service->mutex);
            activity = sct_service_poll(service);
            idle = service->failed == SCT_OK && !is_busy(service);
            pthread_mutex_unlock(&service->mutex);
        }
        if (idle && wire->ops->await) {
            wire->ops->await(wire, LOOK_MS);
            interval = (sct_poll_interval){0};
        } else {
            sct_poll_interval_rest(&interval, activity, NAP_LONGEST);
        }
    }
    return NULL;
}

/* ---- Start and end ---- */

static void release_buffers(sct_service *service) {
    sct_device *device = service->bounce ? service->bounce->device : NULL;
    if (device)
        device->ops->release_host(device, service->memory);
    else
        free(service->memory);
}

bool sct_service_reads_on(const sct_service *service) {
    return sct_wire_reads_on(service->wire);
}

static void free_glances(sct_glance *first) {
    while (first) {
        sct_glance *next = first->next;
        free(first);
        first = next;
    }
}

static void free_service(sct_service *service) {
    if (!sct_service_reads_on(service))
        release_buffers(service);
    service->wire->ops->close(service->wire);
    pthread_mutex_destroy(&service->mutex);
    free(service->requests);
    free(service->offers);
    free_glances(service->glances);
    free(service);
}

static void share_memory(sct_service *service) {
    char *at = service->memory;
    for (int i = 0; i < service->max_pieces; i++) {
        service->records[i].message = (void *)at;
        memset(at, 0, sizeof(sct_request_message)); /* padding travels too */
        service->records[i].buffer = at + sizeof(sct_request_message);
        at += sizeof(sct_request_message) + service->piece;
    }
    for (int i = 0; i < service->max_replies; i++) {
        service->replies[i].buffer = at;
        at += service->piece;
    }
}

static size_t buffer_bytes(const sct_service *service) {
    return (size_t)service->max_pieces * (sizeof(sct_request_message) + service->piece) +
           (size_t)service->max_replies * service->piece;
}

static sct_status no_buffers(size_t bytes) {
    return sct_fail(SCT_NO_MEMORY, "no memory for a service: %zu bytes", bytes);
}

/* The buffers are in pages of the usual size: the system would clear large pages as a whole, but a
 * service often uses only a small part of its buffers. */
static sct_status allocate(sct_service *service) {
    size_t bytes = buffer_bytes(service);
    void *memory = NULL;
    if (posix_memalign(&memory, SCT_ALIGNMENT, bytes) == 0)
        service->memory = memory;
    if (!service->memory)
        return no_buffers(bytes);
    share_memory(service);
    return SCT_OK;
}

sct_status sct_service_bounce(sct_service *service, sct_bounce *bounce) {
    pthread_mutex_lock(&service->mutex);
    char *memory = bounce->device->ops->alloc_host(bounce->device, buffer_bytes(service));
    if (memory) {
        release_buffers(service);
        service->bounce = bounce;
        service->memory = memory;
        share_memory(service);
    }
    pthread_mutex_unlock(&service->mutex);
    return memory ? SCT_OK : no_buffers(buffer_bytes(service));
}

/* Blocks signals, which are for the program's own threads. */
static sct_status start_thread(sct_service *service) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = sct_thread_create(&service->thread, serve, service);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    service->has_thread = error == 0;
    return error == 0 ? SCT_OK
                      : sct_fail(SCT_FAILED, "could not start a service thread: error %d", error);
}

static int at_once(const sct_service *service, size_t bytes, int most) {
    size_t pieces = bytes / service->piece;
    return pieces < (size_t)most ? (int)pieces : most;
}

static sct_status start(sct_service *service) {
    if (service->wire->most_bytes < sizeof(sct_request_message))
        return sct_fail(SCT_FAILED, "messages of %zu bytes are too short",
                        service->wire->most_bytes);
    sct_status status = allocate(service);
    return status == SCT_OK && service->wire->threaded ? start_thread(service) : status;
}

sct_status sct_service_create(sct_wire *wire, sct_service **service) {
    sct_service *made = aligned_alloc(_Alignof(sct_service), sizeof *made);
    if (!made) {
        wire->ops->close(wire);
        return sct_no_memory("a service");
    }
    size_t piece =
        wire->most_bytes < SCT_PIECE_MOST_BYTES ? wire->most_bytes : SCT_PIECE_MOST_BYTES;
    *made = (sct_service){.wire = wire,
                          .piece = piece - piece % SCT_SPLIT_GRAIN,
                          .mutex = PTHREAD_MUTEX_INITIALIZER,
                          .free_request = -1,
                          .first = -1,
                          .last = -1};
    made->max_pieces = at_once(made, SCT_PIECES_BYTES, SCT_MAX_PIECES);
    made->max_pieces_of_one = at_once(made, SCT_PIECES_BYTES_OF_ONE, SCT_MAX_PIECES);
    made->max_replies = at_once(made, SCT_REPLIES_BYTES, SCT_MAX_REPLIES);
    sct_status status = start(made);
    if (status != SCT_OK) {
        free_service(made);
        return status;
    }
    *service = made;
    return SCT_OK;
}

/* Waits a while for sends; the receiver may have them already. */
static void finish(sct_service *service) {
    sct_poll_interval interval = {0};
    for (long spent = 0; spent < LAST; spent += interval.nap_us) {
        sct_activity activity = sct_service_poll(service);
        if (!is_busy(service))
            return;
        sct_poll_interval_rest(&interval, activity, NAP_WAITING);
    }
}

void sct_service_destroy(sct_service *service) {
    atomic_store(&service->closing, true);
    if (service->has_thread)
        pthread_join(service->thread, NULL);
    finish(service);
    free_service(service);
}

/* ---- Offered memory ---- */

sct_status sct_service_offer(sct_service *service, uint64_t id, int count, const sct_memory *blocks,
                             sct_bands *bands) {
    pthread_mutex_lock(&service->mutex);
    sct_offer *offers = sct_memory_grow(service->offers, service->offers_count,
                                        &service->offers_room, sizeof *offers);
    if (offers) {
        offers[service->offers_count++] = (sct_offer){id, count, blocks, bands};
        service->offers = offers;
    }
    pthread_mutex_unlock(&service->mutex);
    return offers ? SCT_OK : sct_no_memory("the offer of one more segment");
}

void sct_service_withdraw(sct_service *service, uint64_t id) {
    pthread_mutex_lock(&service->mutex);
    int64_t kept = 0;
    for (int64_t i = 0; i < service->offers_count; i++)
        if (service->offers[i].id != id)
            service->offers[kept++] = service->offers[i];
    service->offers_count = kept;
    pthread_mutex_unlock(&service->mutex);
}

/* ---- Transfers of the rank ---- */

sct_status sct_service_failure(const sct_service *service) {
    return sct_fail(service->failed, "%s", service->reason);
}

/* Sends what can be sent at once, so that no thread has to wake up for it. */
static sct_status request(sct_service *service, sct_request_kind kind, sct_type type,
                          const sct_place_far *place, char *local, size_t pitch, uint64_t *ticket) {
    if (sct_rectangle_is_empty(&place->part)) {
        *ticket = 0;
        return SCT_OK;
    }
    sct_activity ignored = {0};
    pthread_mutex_lock(&service->mutex);
    sct_status status = service->failed != SCT_OK
                            ? sct_service_failure(service)
                            : sct_request_open(service, kind, type, place, local, pitch, ticket);
    if (status == SCT_OK) {
        sct_status asked = sct_requests_progress(service, &ignored);
        if (asked != SCT_OK)
            sct_service_fail(service, asked);
    }
    pthread_mutex_unlock(&service->mutex);
    return status;
}

sct_status sct_service_get(sct_service *service, const sct_place_far *from, void *to, size_t pitch,
                           uint64_t *ticket) {
    return request(service, SCT_REQUEST_GET, SCT_F32, from, to, pitch, ticket);
}

/* The source of an accumulate is only read. */
sct_status sct_service_accumulate(sct_service *service, sct_type type, const void *from,
                                  size_t pitch, const sct_place_far *to, uint64_t *ticket) {
    return request(service, SCT_REQUEST_ADD, type, to, (char *)from, pitch, ticket);
}

static bool has_pieces_to(sct_service *service, const void *ignored, int rank) {
    (void)ignored;
    pthread_mutex_lock(&service->mutex);
    bool has = sct_requests_pieces_to(service, rank) > 0;
    pthread_mutex_unlock(&service->mutex);
    return has;
}

sct_status sct_service_wait(sct_service *service, uint64_t ticket) {
    sct_poll_interval interval = {.yields = YIELDS};
    sct_lookout lookout = sct_lookout_begin(false);
    bool open, failed;
    atomic_store(&service->rank_polls, true);
    for (;;) {
        pthread_mutex_lock(&service->mutex);
        sct_activity activity = {0};
        if (sct_request_is_open(service, ticket))
            activity = sct_service_poll(service);
        open = sct_request_is_open(service, ticket);
        failed = service->failed != SCT_OK;
        pthread_mutex_unlock(&service->mutex);
        if (!open || failed)
            break;
        sct_poll_interval_rest(&interval, activity, NAP_WAITING);
        sct_service_look_out(service, &lookout, has_pieces_to, NULL);
    }
    atomic_store(&service->rank_polls, false);
    return open ? sct_service_failure(service) : SCT_OK;
}

sct_status sct_service_drain(sct_service *service) {
    sct_status status = SCT_OK;
    for (int i = 0; i < service->requests_used && status == SCT_OK; i++)
        status = sct_service_wait(service, sct_request_ticket(service, i));
    return status;
}

bool sct_service_done(sct_service *service, uint64_t ticket) {
    pthread_mutex_lock(&service->mutex);
    if (sct_request_is_open(service, ticket))
        sct_service_poll(service);
    bool done = !sct_request_is_open(service, ticket) || service->failed != SCT_OK;
    pthread_mutex_unlock(&service->mutex);
    return done;
}

void sct_service_progress(sct_service *service) {
    pthread_mutex_lock(&service->mutex);
    sct_service_poll(service);
    pthread_mutex_unlock(&service->mutex);
}

sct_status sct_service_status(sct_service *service) {
    pthread_mutex_lock(&service->mutex);
    sct_status status = service->failed == SCT_OK ? SCT_OK : sct_service_failure(service);
    pthread_mutex_unlock(&service->mutex);
    return status;
}

void sct_service_cancel(sct_service *service) {
    pthread_mutex_lock(&service->mutex);
    if (service->failed == SCT_OK)
        service->failed = SCT_FAILED;
    service->wire->ops->cancel(service->wire);
    pthread_mutex_unlock(&service->mutex);
}

bool sct_service_has_thread(const sct_service *service) {
    return service->has_thread;
}
