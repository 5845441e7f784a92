/* streams.c - streams, which are threads that run one task after another, and events. */
#include "cuda/state.h"

#include "engine/random.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

typedef struct task {
    task_function *run;
    char payload[TASK_BYTES];
} task;

/* An event that was recorded n times is reached when it was reached n times. Events are kept when
 * they are destroyed, since streams may still wait for them, and used again. */
struct CUevent_st {
    cudaEvent_t next;
    int device;
    moment seen; /* with the order locked */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t recorded, reached;
};

/* ---- The thread of a stream ---- */

static bool take(cudaStream_t stream, task *next) {
    pthread_mutex_lock(&stream->lock);
    while (stream->done == stream->submitted && !stream->closing)
        pthread_cond_wait(&stream->changed, &stream->lock);
    bool any = stream->done < stream->submitted;
    if (any)
        *next = stream->ring[stream->done % stream->room];
    pthread_mutex_unlock(&stream->lock);
    return any;
}

static void finish(cudaStream_t stream) {
    pthread_mutex_lock(&stream->lock);
    stream->done++;
    pthread_cond_broadcast(&stream->changed);
    pthread_mutex_unlock(&stream->lock);
}

static void *run_stream(void *arg) {
    cudaStream_t stream = arg;
    task next;
    while (take(stream, &next)) {
        random_delay(&stream->random, machine()->delay_us);
        next.run(next.payload);
        finish(stream);
    }
    return NULL;
}

static void make_room(cudaStream_t stream) {
    if (stream->submitted - stream->done < stream->room)
        return;
    uint64_t room = stream->room > 0 ? 2 * stream->room : FIRST_ROOM;
    task *ring = malloc(room * sizeof *ring);
    for (uint64_t t = stream->done; t < stream->submitted; t++)
        ring[t % room] = stream->ring[t % stream->room];
    free(stream->ring);
    stream->ring = ring;
    stream->room = room;
}

void stream_push(cudaStream_t stream, task_function *run, const void *payload, size_t bytes) {
    if (bytes > TASK_BYTES)
        abort();
    if (machine()->idle)
        return;
    pthread_mutex_lock(&stream->lock);
    make_room(stream);
    task *last = &stream->ring[stream->submitted++ % stream->room];
    last->run = run;
    memcpy(last->payload, payload, bytes);
    pthread_cond_broadcast(&stream->changed);
    pthread_mutex_unlock(&stream->lock);
}

void stream_drain(cudaStream_t stream) {
    pthread_mutex_lock(&stream->lock);
    while (stream->done < stream->submitted)
        pthread_cond_wait(&stream->changed, &stream->lock);
    pthread_mutex_unlock(&stream->lock);
}

/* ---- Streams ---- */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    CHECK(flags == cudaStreamNonBlocking && priority <= 0);
    if (call_fails(CALL_STREAM_CREATE))
        return fail_with(cudaErrorMemoryAllocation);
    cudaStream_t made = calloc(1, sizeof *made);
    made->device = *current_device();
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    order_lock();
    made->number = order_enter();
    order_unlock();
    made->random = machine()->seed + (uint64_t)made->number;
    if (pthread_create(&made->thread, NULL, run_stream, made) != 0)
        abort();
    things_add(1);
    *stream = made;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

static void order_host_after(const moment *seen) {
    order_lock();
    order_host(seen);
    order_unlock();
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    bool fails = call_fails(CALL_SYNCHRONIZE);
    stream_drain(stream);
    order_host_after(&stream->seen);
    return fails ? fail_with(cudaErrorLaunchFailure) : cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    pthread_mutex_lock(&stream->lock);
    stream->closing = true;
    pthread_cond_broadcast(&stream->changed);
    pthread_mutex_unlock(&stream->lock);
    pthread_join(stream->thread, NULL);
    order_lock();
    order_leave(stream->number);
    order_unlock();
    pthread_cond_destroy(&stream->changed);
    pthread_mutex_destroy(&stream->lock);
    free(stream->ring);
    free(stream);
    things_add(-1);
    return cudaSuccess;
}

/* ---- Events ---- */

static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
static cudaEvent_t kept;

static cudaEvent_t take_kept(void) {
    pthread_mutex_lock(&kept_lock);
    cudaEvent_t event = kept;
    if (event)
        kept = event->next;
    pthread_mutex_unlock(&kept_lock);
    return event;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    CHECK(flags & cudaEventDisableTiming);
    if (call_fails(CALL_EVENT_CREATE))
        return fail_with(cudaErrorMemoryAllocation);
    cudaEvent_t made = take_kept();
    if (!made) {
        made = calloc(1, sizeof *made);
        pthread_mutex_init(&made->lock, NULL);
        pthread_cond_init(&made->changed, NULL);
    }
    made->device = *current_device();
    things_add(1);
    *event = made;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    pthread_mutex_lock(&kept_lock);
    event->next = kept;
    kept = event;
    pthread_mutex_unlock(&kept_lock);
    things_add(-1);
    return cudaSuccess;
}

typedef struct mark {
    cudaEvent_t event;
    uint64_t number; /* of the record */
} mark;

/* After earlier records, which another stream may have been given: who waits for one of them must
 * not go on for this one. */
static void reach(void *payload) {
    const mark *m = payload;
    pthread_mutex_lock(&m->event->lock);
    while (m->event->reached + 1 < m->number)
        pthread_cond_wait(&m->event->changed, &m->event->lock);
    m->event->reached = m->number;
    pthread_cond_broadcast(&m->event->changed);
    pthread_mutex_unlock(&m->event->lock);
}

static void await(void *payload) {
    const mark *m = payload;
    pthread_mutex_lock(&m->event->lock);
    while (m->event->reached < m->number)
        pthread_cond_wait(&m->event->changed, &m->event->lock);
    pthread_mutex_unlock(&m->event->lock);
}

static mark last_mark(cudaEvent_t event) {
    pthread_mutex_lock(&event->lock);
    mark last = {event, event->recorded};
    pthread_mutex_unlock(&event->lock);
    return last;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    if (call_fails(CALL_EVENT_RECORD))
        return fail_with(cudaErrorLaunchFailure);
    if (!CHECK(event->device == stream->device))
        return fail_with(cudaErrorInvalidResourceHandle);
    order_lock();
    event->seen = stream->seen;
    order_unlock();
    pthread_mutex_lock(&event->lock);
    mark next = {event, ++event->recorded};
    if (machine()->idle)
        event->reached = next.number;
    pthread_mutex_unlock(&event->lock);
    stream_push(stream, reach, &next, sizeof next);
    return cudaSuccess;
}

typedef struct host_call {
    cudaStream_t stream;
    cudaStreamCallback_t call;
    void *context;
} host_call;

static void call_host(void *payload) {
    const host_call *h = payload;
    h->call(h->stream, cudaSuccess, h->context);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t call, void *context,
                                  unsigned flags) {
    host_call h = {stream, call, context};
    CHECK(flags == 0);
    if (call_fails(CALL_HOST))
        return fail_with(cudaErrorLaunchFailure);
    stream_push(stream, call_host, &h, sizeof h);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    if (call_fails(CALL_WAIT_EVENT))
        return fail_with(cudaErrorLaunchFailure);
    CHECK(flags == 0);
    mark last = last_mark(event);
    order_lock();
    moment_join(&stream->seen, &event->seen);
    order_unlock();
    stream_push(stream, await, &last, sizeof last);
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    if (call_fails(CALL_QUERY))
        return fail_with(cudaErrorLaunchFailure);
    pthread_mutex_lock(&event->lock);
    bool reached = event->reached >= event->recorded;
    pthread_mutex_unlock(&event->lock);
    if (reached)
        order_host_after(&event->seen);
    return reached ? cudaSuccess : fail_with(cudaErrorNotReady);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    bool fails = call_fails(CALL_SYNCHRONIZE);
    order_lock();
    moment seen = event->seen;
    mark last = last_mark(event);
    order_unlock();
    await(&last);
    order_host_after(&seen);
    return fails ? fail_with(cudaErrorLaunchFailure) : cudaSuccess;
}
