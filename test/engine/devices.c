/* devices.c - the host as if it were a GPU: streams run in the background, so that a missing event
 * shows as a wrong result or a data race; and the host may be unable to touch its memory. What it
 * computes with is a device of the library, that of the host.
 *
 * A stream is a thread with a ring of entries. Tickets count entries; an event is a ticket, reached
 * once that many entries are done. Each stream has its own lock, because a common lock would order
 * the work of different streams and hide a missing event from a race detector. */
#include "engine/devices.h"

#include "api/engine.h"
#include "base/clock.h"
#include "base/thread.h"
#include "device/streams.h"
#include "engine/device_only.h"
#include "engine/random.h"
#include "engine/shared_memory.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };
static const uint64_t nobody = UINT64_MAX;

/* An event to wait for, if there is one; or a function to call, if there is one; or a command.
 */
typedef struct entry {
    sct_event event;
    sct_notice *call;
    void *context;
    sct_command command;
} entry;

typedef struct deferred {
    sct_device base;
    sct_device_ops ops; /* those of its kind */
    sct_device *host;   /* which runs the commands */
    int delay_us;
    sct_idle_streams idle;
    uint64_t random;       /* guarded by the lock of the idle streams */
    shared_memory *memory; /* if processes can share it */
} deferred;

struct sct_stream {
    sct_idle idle;
    deferred *device;
    pthread_t thread;
    bool started;
    uint64_t random;
    sct_stream *host; /* of the host's device */
    pthread_mutex_t lock;
    uint64_t caught_up;            /* see sct_device_catch_up */
    pthread_cond_t added, reached; /* an entry; the awaited ticket */
    /* All below guarded by the lock. */
    bool closing;
    uint64_t submitted, done, room;
    uint64_t awaited; /* the first ticket that anybody waits for, or `nobody` */
    entry *ring;      /* ring of `room` entries; ticket t is at t % room */
    sct_status failure;
    char reason[SCT_REASON_BYTES];
};

static void await_event(sct_event event) {
    sct_stream *stream = event.of;
    pthread_mutex_lock(&stream->lock);
    while (stream->done < event.number) {
        if (event.number < stream->awaited)
            stream->awaited = event.number;
        pthread_cond_wait(&stream->reached, &stream->lock);
    }
    pthread_mutex_unlock(&stream->lock);
}

/* ---- The stream's thread ---------------------------------------------------------------------*/

/* False when the device closes. */
static bool take(sct_stream *stream, entry *next) {
    pthread_mutex_lock(&stream->lock);
    while (stream->done == stream->submitted && !stream->closing)
        pthread_cond_wait(&stream->added, &stream->lock);
    bool any = stream->done < stream->submitted;
    if (any)
        *next = stream->ring[stream->done % stream->room];
    pthread_mutex_unlock(&stream->lock);
    return any;
}

static sct_status perform(const sct_stream *stream, const entry *next) {
    if (next->event.ops)
        await_event(next->event);
    else if (next->call)
        next->call(next->context, sct_now_ns());
    else {
        sct_command command = device_only_reached(&next->command);
        return stream->device->host->ops->submit(stream->host, &command);
    }
    return SCT_OK;
}

static void finish(sct_stream *stream, sct_status status) {
    pthread_mutex_lock(&stream->lock);
    stream->done++;
    if (status != SCT_OK && stream->failure == SCT_OK) {
        stream->failure = status;
        snprintf(stream->reason, sizeof stream->reason, "%s", sct_last_reason());
    }
    bool wakes = stream->done >= stream->awaited;
    if (wakes)
        stream->awaited = nobody;
    pthread_mutex_unlock(&stream->lock);
    if (wakes)
        pthread_cond_broadcast(&stream->reached);
}

static void *run_stream(void *arg) {
    sct_stream *stream = arg;
    entry next;
    while (take(stream, &next)) {
        random_delay(&stream->random, stream->device->delay_us);
        finish(stream, perform(stream, &next));
    }
    return NULL;
}

/* ---- Submitting; the stream is locked --------------------------------------------------------*/

static sct_status pass_on_failure(sct_stream *stream) {
    sct_status failure = stream->failure;
    stream->failure = SCT_OK;
    return failure == SCT_OK ? SCT_OK : sct_fail(failure, "%s", stream->reason);
}

static sct_status make_room(sct_stream *stream) {
    if (stream->submitted - stream->done < stream->room)
        return SCT_OK;
    uint64_t room = stream->room > 0 ? 2 * stream->room : FIRST_ROOM;
    entry *ring = malloc(room * sizeof *ring);
    if (!ring)
        return sct_fail(SCT_NO_MEMORY, "no memory for %llu commands", (unsigned long long)room);
    assert(stream->room > 0 || stream->done == stream->submitted);
    for (uint64_t t = stream->done; t < stream->submitted; t++)
        ring[t % room] = stream->ring[t % stream->room];
    free(stream->ring);
    stream->ring = ring;
    stream->room = room;
    return SCT_OK;
}

static sct_status push(sct_stream *stream, const entry *last) {
    sct_status status = pass_on_failure(stream);
    if (status == SCT_OK)
        status = make_room(stream);
    if (status != SCT_OK)
        return status;
    stream->ring[stream->submitted % stream->room] = *last;
    stream->submitted++;
    return SCT_OK;
}

static sct_status lock_and_push(sct_stream *stream, const entry *last) {
    pthread_mutex_lock(&stream->lock);
    sct_status status = push(stream, last);
    pthread_mutex_unlock(&stream->lock);
    pthread_cond_signal(&stream->added);
    return status;
}

static sct_status deferred_submit(sct_stream *stream, const sct_command *command) {
    if (stream->device->base.space == SCT_SPACE_DEVICE && !device_only_allows(command))
        return sct_fail(SCT_FAILED, "a command of a device is to use memory of the host");
    sct_status status = sct_device_catch_up(&stream->device->base, stream, &stream->caught_up);
    return status ? status : lock_and_push(stream, &(entry){.command = *command});
}

static sct_status deferred_notify(sct_stream *stream, sct_notice *call, void *context) {
    return lock_and_push(stream, &(entry){.call = call, .context = context});
}

/* ---- Events ----------------------------------------------------------------------------------*/

static bool deferred_done(sct_event event) {
    sct_stream *stream = event.of;
    pthread_mutex_lock(&stream->lock);
    bool done = stream->done >= event.number;
    pthread_mutex_unlock(&stream->lock);
    return done;
}

static sct_status deferred_wait(sct_event event) {
    sct_stream *stream = event.of;
    await_event(event);
    pthread_mutex_lock(&stream->lock);
    sct_status status = pass_on_failure(stream);
    pthread_mutex_unlock(&stream->lock);
    return status;
}

static const sct_event_ops deferred_events = {deferred_done, deferred_wait};

static sct_event deferred_record(sct_stream *stream) {
    pthread_mutex_lock(&stream->lock);
    sct_event event = {&deferred_events, stream, stream->submitted};
    pthread_mutex_unlock(&stream->lock);
    return event;
}

static sct_status deferred_follow(sct_stream *stream, sct_event event) {
    return event.ops == &deferred_events ? lock_and_push(stream, &(entry){.event = event})
                                         : sct_event_wait(event);
}

/* ---- Opening and closing ---------------------------------------------------------------------*/

static sct_stream *idle_or_new(deferred *device) {
    sct_stream *stream = sct_idle_take(&device->idle);
    if (stream)
        return stream;
    pthread_mutex_lock(&device->idle.lock);
    uint64_t random = random_next(&device->random);
    pthread_mutex_unlock(&device->idle.lock);
    if ((stream = calloc(1, sizeof *stream)))
        *stream = (sct_stream){.device = device,
                               .random = random,
                               .lock = PTHREAD_MUTEX_INITIALIZER,
                               .added = PTHREAD_COND_INITIALIZER,
                               .reached = PTHREAD_COND_INITIALIZER,
                               .awaited = nobody};
    return stream;
}

static sct_status deferred_stream_open(sct_device *device, sct_stream **stream) {
    deferred *self = (deferred *)device;
    sct_stream *made = idle_or_new(self);
    if (!made)
        return sct_no_memory("a stream");
    made->failure = SCT_OK;
    sct_status status = SCT_OK;
    if (!made->host)
        status = self->host->ops->stream_open(self->host, &made->host);
    if (!status && !made->started)
        made->started = sct_thread_create(&made->thread, run_stream, made) == 0;
    if (!made->started) {
        sct_idle_put(&self->idle, &made->idle);
        return status ? status : sct_fail(SCT_FAILED, "could not start a thread for a stream");
    }
    *stream = made;
    return SCT_OK;
}

/* Its thread waits for the stream to be opened again. */
static void deferred_stream_close(sct_stream *stream) {
    await_event(deferred_record(stream));
    sct_idle_put(&stream->device->idle, &stream->idle);
}

static void end_thread(sct_stream *stream) {
    pthread_mutex_lock(&stream->lock);
    stream->closing = true;
    pthread_cond_signal(&stream->added);
    pthread_mutex_unlock(&stream->lock);
    pthread_join(stream->thread, NULL);
}

static void deferred_close(sct_device *base) {
    deferred *device = (deferred *)base;
    for (sct_stream *stream; (stream = sct_idle_take(&device->idle));) {
        if (stream->started)
            end_thread(stream);
        if (stream->host)
            device->host->ops->stream_close(stream->host);
        pthread_cond_destroy(&stream->added);
        pthread_cond_destroy(&stream->reached);
        pthread_mutex_destroy(&stream->lock);
        free(stream->ring);
        free(stream);
    }
    pthread_mutex_destroy(&device->idle.lock);
    device->host->ops->close(device->host);
    free(device);
}

/* ---- Memory of the host ---- */

static sct_device *host_of(sct_device *device) {
    return ((deferred *)device)->host;
}

static void deferred_describe(sct_device *device, char *text, size_t bytes) {
    host_of(device)->ops->describe(host_of(device), text, bytes);
}

static void *deferred_alloc(sct_device *device, size_t bytes) {
    return host_of(device)->ops->alloc(host_of(device), bytes);
}

static void deferred_release(sct_device *device, void *memory) {
    host_of(device)->ops->release(host_of(device), memory);
}

static bool deferred_can_use(sct_device *device, const void *memory) {
    return host_of(device)->ops->can_use(host_of(device), memory);
}

static const sct_device_ops deferred_ops = {
    .name = "host, deferred",
    .describe = deferred_describe,
    .close = deferred_close,
    .alloc = deferred_alloc,
    .release = deferred_release,
    .alloc_host = deferred_alloc,
    .release_host = deferred_release,
    .can_use = deferred_can_use,
    .stream_open = deferred_stream_open,
    .stream_close = deferred_stream_close,
    .submit = deferred_submit,
    .record = deferred_record,
    .follow = deferred_follow,
    .notify = deferred_notify,
};

static sct_status make(uint64_t seed, int delay_us, deferred **device) {
    deferred *made = malloc(sizeof *made);
    if (!made)
        return sct_no_memory("a device");
    *made = (deferred){.base.ops = &made->ops,
                       .ops = deferred_ops,
                       .random = seed,
                       .delay_us = delay_us,
                       .idle.lock = PTHREAD_MUTEX_INITIALIZER};
    sct_status status = sct_engine_open_host(NULL, 0, &made->host);
    if (status)
        free(made);
    else
        *device = made;
    return status;
}

sct_status device_deferred(uint64_t seed, int delay_us, sct_device **device) {
    deferred *made = NULL;
    sct_status status = make(seed, delay_us, &made);
    if (!status)
        *device = &made->base;
    return status;
}

/* ---- With memory of its own, whose first contents are NaN in every type ---- */

static void *hide(void *memory, size_t bytes) {
    return memory ? device_only_hide(memset(memory, 0xff, bytes)) : NULL;
}

static void *device_only_alloc(sct_device *device, size_t bytes) {
    return hide(deferred_alloc(device, bytes), bytes);
}

static void device_only_release(sct_device *device, void *memory) {
    deferred_release(device, device_only_reach(memory));
}

static bool device_only_can_use(sct_device *device, const void *memory) {
    (void)device;
    return device_only_hidden(memory);
}

static sct_status make_device_only(uint64_t seed, int delay_us, int domain, deferred **device) {
    deferred *made = NULL;
    sct_status status = make(seed, delay_us, &made);
    if (status)
        return status;
    made->base.space = SCT_SPACE_DEVICE;
    made->base.domain = domain;
    made->ops.name = "host, device-only";
    made->ops.alloc = device_only_alloc;
    made->ops.release = device_only_release;
    made->ops.can_use = device_only_can_use;
    *device = made;
    return SCT_OK;
}

sct_status device_emulated(uint64_t seed, int delay_us, int domain, sct_device **device) {
    deferred *made = NULL;
    sct_status status = make_device_only(seed, delay_us, domain, &made);
    if (!status)
        *device = &made->base;
    return status;
}

/* ---- Which processes can share ---- */

static void *shared_alloc(sct_device *device, size_t bytes) {
    return hide(shared_memory_alloc(&((deferred *)device)->memory, bytes), bytes);
}

/* Also detaches. */
static void shared_release(sct_device *device, void *memory) {
    shared_memory_free(&((deferred *)device)->memory, device_only_reach(memory));
}

static bool shared_share(sct_device *device, const void *memory, size_t bytes,
                         sct_memory_handle *handle) {
    return shared_memory_share(((deferred *)device)->memory, device_only_reach(memory), bytes,
                               handle);
}

static void *shared_attach(sct_device *device, const sct_memory_handle *handle) {
    void *memory = shared_memory_attach(&((deferred *)device)->memory, handle);
    return memory ? device_only_hide(memory) : NULL;
}

sct_status device_emulated_shared(uint64_t seed, int delay_us, int domain, sct_device **device) {
    deferred *made = NULL;
    sct_status status = make_device_only(seed, delay_us, domain, &made);
    if (status)
        return status;
    made->base.atomic_adds = true;
    made->ops.name = "host, shared";
    made->ops.alloc = shared_alloc;
    made->ops.release = shared_release;
    made->ops.share = shared_share;
    made->ops.attach = shared_attach;
    made->ops.detach = shared_release;
    *device = &made->base;
    return SCT_OK;
}
