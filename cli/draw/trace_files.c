/* deed_files.c - passes deeds on to a picture, and to a file of events. */
#include "draw/deed_files.h"

enum code deed_files_open(const struct args *args, struct deed_files *files) {
    *files = (struct deed_files){.lost = false};
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

void deed_files_add(struct deed_files *files, const sct_deed *deed) {
    if (files->svg.out && !timeline_add(&files->timeline, deed))
        files->lost = true;
    if (files->events.out)
        chrome_trace_add(&files->trace, deed);
}

enum code deed_files_close(enum code code, struct deed_files *files, int ranks, const char *heading,
                           const char *more, double seconds) {
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
