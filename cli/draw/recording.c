/* recording.c - collects events, each rank into a list of its own. */
#include "draw/recording.h"

#include <math.h>
#include <stdlib.h>

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
