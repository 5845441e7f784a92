/* report.c - what the tool says besides its results, and how it exits. */
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void report_error(const char *format, ...) {
    char line[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    fprintf(stderr, "sectile: %s\n", line);
}

enum code report_code(sct_status status) {
    switch (status) {
    case SCT_OK:
        return CODE_DONE;
    case SCT_BAD_ARGUMENT:
    case SCT_TOO_LARGE:
        return CODE_USAGE;
    case SCT_NO_ENGINE:
        return CODE_NO_ENGINE;
    default:
        return CODE_FAILED;
    }
}

void report_clear(void) {
    if (!isatty(STDERR_FILENO))
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}

void report_progress(const char *work, int64_t done, int64_t total) {
    static const char bar[] = "##############################";
    int width = sizeof bar - 1;
    /* Seldom enough to cost nothing. */
    int64_t stride = total / 100 + 1;
    if (done == total)
        report_clear();
    else if (done % stride == 0 && isatty(STDERR_FILENO)) {
        int full = (int)((double)done / (double)total * width);
        fprintf(stderr, "\r[%.*s%*s] %" PRId64 " of %" PRId64 " %s", full, bar, width - full, "",
                done, total, work);
        fflush(stderr);
    }
}

bool report_flush(void) {
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    report_error("cannot write to standard output: %s", strerror(errno));
    return false;
}
