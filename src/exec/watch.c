/* watch.c - a list of events, whose times the streams note as they get there. */
#include "exec/watch.h"

#include "base/checked.h"
#include "base/clock.h"

#include <sched.h>
#include <stdlib.h>

/* A time to be noted. */
typedef struct stamp {
    sct_watch *watch;
    int64_t ns;
    bool noted;
} stamp;

struct sct_watched {
    sct_trace_event traced;
    stamp begin, end;
    sct_watched *before;
};

static void note(void *context, int64_t ns) {
    stamp *s = context;
    s->ns = ns;
    s->noted = true;
    atomic_fetch_sub(&s->watch->expected, 1);
}

static void note_on(stamp *s, const sct_device *device, sct_stream *stream) {
    atomic_fetch_add(&s->watch->expected, 1);
    if (!stream)
        note(s, sct_now_ns());
    else if (device->ops->notify(stream, note, s))
        atomic_fetch_sub(&s->watch->expected, 1);
}

sct_watched *sct_watch_begin(sct_watch *watch, const sct_device *device, sct_stream *stream,
                             const sct_trace_event *traced) {
    sct_watched *made = watch->observer.event ? malloc(sizeof *made) : NULL;
    if (!made)
        return NULL;
    *made = (sct_watched){.traced = *traced,
                          .begin = {.watch = watch},
                          .end = {.watch = watch},
                          .before = watch->last};
    watch->last = made;
    note_on(&made->begin, device, stream);
    return made;
}

void sct_watch_end(sct_watched *watched, const sct_device *device, sct_stream *stream) {
    if (watched)
        note_on(&watched->end, device, stream);
}

/* The events in the order in which they were begun. */
static sct_watched *in_order(sct_watched *last) {
    sct_watched *first = NULL;
    while (last) {
        sct_watched *before = last->before;
        last->before = first;
        first = last;
        last = before;
    }
    return first;
}

void sct_watch_report(sct_watch *watch) {
    /* a stream may be idle a little before it has noted that */
    while (atomic_load(&watch->expected) > 0)
        sched_yield();
    sct_watched *next = in_order(watch->last);
    watch->last = NULL;
    while (next) {
        sct_watched *watched = next;
        next = watched->before;
        watched->traced.begin = 1e-9 * (double)watched->begin.ns;
        /* the host knows the clock of a device roughly: an end could seem to come first */
        watched->traced.end = 1e-9 * (double)sct_max(watched->begin.ns, watched->end.ns);
        if (watched->begin.noted && watched->end.noted)
            watch->observer.event(watch->observer.context, &watched->traced);
        free(watched);
    }
}
