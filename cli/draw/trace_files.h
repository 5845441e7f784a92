/* trace_files.h - what ranks did and when, as the files of --svg and --trace. */
#ifndef CLI_DRAW_TRACE_FILES_H
#define CLI_DRAW_TRACE_FILES_H

#include "args/args.h"
#include "draw/chrome_trace.h"
#include "output/text_file.h"
#include "pictures/timeline.h"

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

#endif
