/* trace_files.c - passes events on to a picture, and to a file of Chrome trace events; collects
 * those of ranks in a list for each.
 *
 * In the viewer of Chrome trace events a rank is a process, and a lane is a thread. Where events
 * of a lane overlap, it is several threads, which are called tracks here, because the viewer does
 * not show overlapping events of one thread. */
#include "draw/trace_files.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- Chrome trace events ---- */

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

/* False: out of memory. */
static bool chrome_trace_begin(struct chrome_trace *trace, int ranks, FILE *out) {
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

static void chrome_trace_add(struct chrome_trace *trace, const sct_trace_event *event) {
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

static void chrome_trace_end(struct chrome_trace *trace) {
    json_close(&trace->json, ']');
    json_end(&trace->json);
}

static void chrome_trace_destroy(struct chrome_trace *trace) {
    free(trace->until);
}

/* ---- Files ---- */

enum code trace_files_open(const struct args *args, struct trace_files *files) {
    *files = (struct trace_files){.lost = false};
    enum code code = text_file_open(args->svg, &files->svg);
    if (code == CODE_DONE)
        code = text_file_open(args->trace, &files->events);
    if (code == CODE_DONE && files->events.out &&
        !chrome_trace_begin(&files->trace, (int)args->ranks, files->events.out)) {
        report_error("no memory for the trace");
        return CODE_FAILED;
    }
    return code;
}

void trace_files_add(struct trace_files *files, const sct_trace_event *event) {
    if (files->svg.out && !timeline_add(&files->timeline, event))
        files->lost = true;
    if (files->events.out)
        chrome_trace_add(&files->trace, event);
}

enum code trace_files_close(enum code code, struct trace_files *files, int ranks,
                            const char *heading, const char *more, double seconds) {
    if (code == CODE_DONE && files->lost) {
        report_error("no memory for the timeline");
        code = CODE_FAILED;
    }
    if (code == CODE_DONE && files->svg.out)
        timeline_draw(&files->timeline, heading, more, ranks, seconds, files->svg.out);
    if (code == CODE_DONE && files->events.out)
        chrome_trace_end(&files->trace);
    code = text_file_close(code, &files->svg);
    code = text_file_close(code, &files->events);
    timeline_destroy(&files->timeline);
    chrome_trace_destroy(&files->trace);
    return code;
}

/* ---- Recording ---- */

static void see_event(void *context, const sct_trace_event *event) {
    struct recorded *rank = context;
    if (!timeline_add(&rank->events, event))
        rank->lost = true;
}

enum code recording_create(int ranks, struct recording *recording) {
    recording->ranks = ranks;
    recording->rank = calloc((size_t)ranks, sizeof *recording->rank);
    recording->observer = calloc((size_t)ranks, sizeof *recording->observer);
    if (!recording->rank || !recording->observer) {
        report_error("no memory for the timeline");
        return CODE_FAILED;
    }
    for (int rank = 0; rank < ranks; rank++)
        recording->observer[rank] = (sct_observer){
            .size = sizeof(sct_observer), .event = see_event, .context = &recording->rank[rank]};
    return CODE_DONE;
}

void recording_destroy(struct recording *recording) {
    for (int rank = 0; recording->rank && rank < recording->ranks; rank++)
        timeline_destroy(&recording->rank[rank].events);
    free(recording->rank);
    free(recording->observer);
}

static double first_time(const struct recording *recording) {
    double first = INFINITY;
    for (int rank = 0; rank < recording->ranks; rank++) {
        const struct timeline *list = &recording->rank[rank].events;
        for (int64_t i = 0; i < list->count; i++)
            first = fmin(first, list->event[i].begin);
    }
    return first;
}

double recording_add_to(const struct recording *recording, struct trace_files *files) {
    double first = first_time(recording), last = 0;
    for (int rank = 0; rank < recording->ranks; rank++) {
        const struct recorded *recorded = &recording->rank[rank];
        files->lost = files->lost || recorded->lost;
        for (int64_t i = 0; i < recorded->events.count; i++) {
            sct_trace_event event = recorded->events.event[i];
            event.begin -= first;
            event.end -= first;
            last = fmax(last, event.end);
            trace_files_add(files, &event);
        }
    }
    return last;
}
