/* trace_files.c - passes events on to a picture, and to a file of events. */
#include "draw/trace_files.h"

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
