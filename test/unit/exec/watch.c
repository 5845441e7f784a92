/* watch.c - events on a stream that notes times late, or refuses to note them. */
#include "exec/watch.h"

#include "support/check.h"

#include <sched.h>
#include <unistd.h>

/* The stream of this test: what it is to call once the program waits for it. */
struct sct_stream {
    bool refuses;
    int calls;
    sct_notice *call[2];
    void *context[2];
};

static sct_stream late;

static sct_status notify(sct_stream *stream, sct_notice *call, void *context) {
    if (stream->refuses)
        return SCT_FAILED;
    stream->call[stream->calls] = call;
    stream->context[stream->calls++] = context;
    return SCT_OK;
}

enum { TIME_NS = 1000, LATE_BYTES = 1 };

/* In place of the system's: only now the stream gets to the event. */
int sched_yield(void) {
    for (int i = 0; i < late.calls; i++)
        late.call[i](late.context[i], TIME_NS + i);
    late.calls = 0;
    return 0;
}

static void see(void *context, const sct_trace_event *event) {
    CHECK(event->begin > 0 && event->begin <= event->end);
    CHECK(event->bytes != LATE_BYTES ||
          (event->begin == 1e-9 * TIME_NS && event->end > event->begin));
    *(uint64_t *)context += event->bytes;
}

/* The bytes of the events that are told. */
static uint64_t watched_bytes(sct_stream *stream) {
    static const sct_device_ops ops = {.notify = notify};
    const sct_device device = {.ops = &ops};
    const sct_trace_event one = {.bytes = LATE_BYTES}, other = {.bytes = 2};
    uint64_t bytes = 0;
    sct_watch watch = {.observer = {.event = see, .context = &bytes}};
    sct_watch_end(sct_watch_begin(&watch, &device, stream, &one), &device, stream);
    sct_watch_end(sct_watch_begin(&watch, &device, NULL, &other), &device, NULL);
    sct_watch_report(&watch);
    CHECK(watch.expected == 0 && !watch.last);
    return bytes;
}

int main(void) {
    sct_stream refusing = {.refuses = true};
    alarm(60); /* a time that nobody notes would be waited for without end */
    CHECK(watched_bytes(&late) == 3);
    CHECK(watched_bytes(&refusing) == 2);
    return check_report("watch");
}
