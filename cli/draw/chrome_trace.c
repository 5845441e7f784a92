/* chrome_trace.c - writes Chrome trace events. In the viewer a rank is a process, and a lane is a
 * thread. Where events of a lane overlap, it is several threads, which are called tracks here,
 * because the viewer does not show overlapping events of one thread. */
#include "draw/chrome_trace.h"

#include <inttypes.h>
#include <stdlib.h>

/* The most tracks of a lane. */
enum { TRACKS = 32 };

static const char *const kinds[] = {
    [SCT_MULTIPLYING] = "multiply",  [SCT_GETTING] = "get",
    [SCT_GATHERING] = "copy own",    [SCT_ACCUMULATING] = "accumulate",
    [SCT_SCATTERING] = "add to own", [SCT_REDUCING] = "add replicas",
    [SCT_SHARING] = "copy replicas",
};
static const char *const lanes[SCT_LANES] = {
    [SCT_LANE_COMPUTE] = "compute", [SCT_LANE_GET] = "get", [SCT_LANE_ACCUMULATE] = "accumulate"};

/* Names a process or thread of the viewer. */
static void add_name(struct chrome_trace *trace, const char *what, int rank, int thread,
                     const char *name) {
    struct json *json = &trace->json;
    json_open(json, NULL, '{');
    json_text(json, "ph", "M");
    json_text(json, "name", what);
    json_whole(json, "pid", rank);
    json_whole(json, "tid", thread);
    json_open(json, "args", '{');
    json_text(json, "name", name);
    json_close(json, '}');
    json_close(json, '}');
}

bool chrome_trace_begin(struct chrome_trace *trace, int ranks, FILE *out) {
    size_t tracks = (size_t)ranks * SCT_LANES * TRACKS;
    if (!(trace->until = malloc(tracks * sizeof *trace->until)))
        return false;
    for (size_t i = 0; i < tracks; i++)
        trace->until[i] = -1; /* not named yet */
    json_begin(&trace->json, out);
    json_text(&trace->json, "displayTimeUnit", "ms");
    json_open(&trace->json, "traceEvents", '[');
    for (int rank = 0; rank < ranks; rank++) {
        char name[40];
        snprintf(name, sizeof name, "rank %d", rank);
        add_name(trace, "process_name", rank, 0, name);
    }
    return true;
}

/* Finds the first free track of the event's lane, and names it on first use. Returns its thread. */
static int find_track(struct chrome_trace *trace, const sct_trace_event *event) {
    int track = 0;
    double *until = &trace->until[(event->rank * SCT_LANES + (int)event->lane) * TRACKS];
    while (track < TRACKS - 1 && until[track] > event->begin)
        track++;
    int thread = track * SCT_LANES + (int)event->lane;
    if (until[track] < 0) {
        char name[40], number[16] = "";
        if (track > 0)
            snprintf(number, sizeof number, " %d", track + 1);
        snprintf(name, sizeof name, "%s%s", lanes[event->lane], number);
        add_name(trace, "thread_name", event->rank, thread, name);
    }
    until[track] = event->end;
    return thread;
}

void chrome_trace_add(struct chrome_trace *trace, const sct_trace_event *event) {
    int thread = find_track(trace, event);
    struct json *json = &trace->json;
    json_open(json, NULL, '{');
    json_text(json, "ph", "X");
    json_text(json, "name", kinds[event->kind]);
    json_text(json, "cat", lanes[event->lane]);
    json_whole(json, "pid", event->rank);
    json_whole(json, "tid", thread);
    json_real(json, "ts", event->begin * 1e6);
    json_real(json, "dur", (event->end - event->begin) * 1e6);
    json_open(json, "args", '{');
    if (event->step >= 0)
        json_whole(json, "step", event->step);
    if (event->peer >= 0) {
        json_whole(json, "peer", event->peer);
        json_bytes(json, "bytes", event->bytes);
    }
    json_close(json, '}');
    json_close(json, '}');
}

void chrome_trace_end(struct chrome_trace *trace) {
    json_close(&trace->json, ']');
    json_end(&trace->json);
}

void chrome_trace_destroy(struct chrome_trace *trace) {
    free(trace->until);
}
