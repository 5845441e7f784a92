/* trace_files.h - what ranks did and when, as the files of --svg and --trace. */
#ifndef CLI_DRAW_TRACE_FILES_H
#define CLI_DRAW_TRACE_FILES_H

#include "args/args.h"
#include "output/text_file.h"
#include "pictures/timeline.h"
#include "print/json.h"

#include <sectile/sectile.h>

struct chrome_trace {
    struct json json;
    double *until; /* by rank, lane and track: the end of its last event */
};

struct trace_files {
    struct text_file svg, events;
    struct timeline timeline;
    struct chrome_trace trace;
    bool lost; /* there was no memory for an event in the timeline */
};

static inline bool trace_files_wanted(const struct args *args) {
    return args->svg || args->trace;
}

/* Begins the files that the flags ask for. trace_files_close ends them, also after a failure. */
enum code trace_files_open(const struct args *args, struct trace_files *files);
void trace_files_add(struct trace_files *files, const sct_trace_event *event);
/* Takes the exit code of the work so far, and returns it or that of a failure to write. The picture
 * has two lines of text above, and covers this time. */
enum code trace_files_close(enum code code, struct trace_files *files, int ranks,
                            const char *heading, const char *more, double seconds);

/* The events of one rank. */
struct recorded {
    struct timeline events;
    bool lost; /* there was no memory for one */
};

struct recording {
    int ranks;
    struct recorded *rank;
    sct_observer *observer; /* for the job of each rank; NULL: nothing is recorded */
};

/* Reports if there is no memory. */
enum code recording_create(int ranks, struct recording *recording);
void recording_destroy(struct recording *recording);
/* Adds all events to the files, with times that begin at 0. Returns when the last one ends. */
double recording_add_to(const struct recording *recording, struct trace_files *files);

#endif
