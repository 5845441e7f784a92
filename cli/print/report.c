/* report.c - errors, progress and exit codes. */
#include "print/report.h"

#include "print/json.h"
#include "src/base/printable.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Errors kept by report_keep. Like stderr they belong to the whole process, so no function passes
 * them by argument. */
static struct {
    bool on;
    char text[REPORT_TEXT];
} kept;

/* Likewise: the errors that were shown, for report_json. */
static char shown[REPORT_TEXT];

/* Likewise. */
static enum report_color color_asked = REPORT_COLOR_AUTO;

void report_set_color(enum report_color color) {
    color_asked = color;
}

bool report_has_color(FILE *out) {
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (color_asked != REPORT_COLOR_AUTO)
        return color_asked == REPORT_COLOR_ALWAYS;
    return isatty(fileno(out)) && !(no_color && no_color[0] != '\0') && terminal &&
           strcmp(terminal, "dumb") != 0;
}

enum { LINE = 1024 };

static void write_line(char line[LINE], const char *format, va_list list) {
    vsnprintf(line, LINE, format, list);
    sct_make_printable(line);
}

void report_error(const char *format, ...) {
    char line[LINE];
    va_list list;
    va_start(list, format);
    write_line(line, format, list);
    va_end(list);
    report_lines(line);
}

static void print_lines(const char *text) {
    const char *name = report_has_color(stderr) ? "\033[1;31msectile:\033[0m" : "sectile:";
    while (*text != '\0') {
        int length = (int)strcspn(text, "\n");
        fprintf(stderr, "%s %.*s\n", name, length, text);
        text += length + (text[length] == '\n');
    }
}

void report_warning(const char *format, ...) {
    char line[LINE];
    va_list list;
    va_start(list, format);
    write_line(line, format, list);
    va_end(list);
    print_lines(line);
}

void report_name(const char *name) {
    char line[PATH_MAX];
    snprintf(line, sizeof line, "%s", name);
    sct_make_printable(line);
    fputs(line, stdout);
}

/* Adds lines to those that are there. */
static void add(char lines[REPORT_TEXT], const char *text) {
    size_t end = strlen(lines);
    snprintf(lines + end, REPORT_TEXT - end, "%s%s", end > 0 && *text != '\0' ? "\n" : "", text);
}

void report_lines(const char *text) {
    if (kept.on)
        add(kept.text, text);
    else
        report_show(text);
}

bool report_keep(bool on) {
    bool before = kept.on;
    kept.on = on;
    return before;
}

void report_take(char text[REPORT_TEXT]) {
    memcpy(text, kept.text, sizeof kept.text);
    kept.text[0] = '\0';
}

void report_show(const char *text) {
    add(shown, text);
    print_lines(text);
}

void report_json(enum code code) {
    struct json json;
    if (json_has_results())
        return;
    json_begin(&json, stdout);
    json_bool(&json, "ok", false);
    json_text(&json, "error", shown);
    json_whole(&json, "exit", code);
    json_end_result(&json);
    fflush(stdout);
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

enum code report_status(sct_status status) {
    if (status != SCT_OK)
        report_error("%s", sct_last_reason());
    return report_code(status);
}

bool report_redraws(void) {
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && !(terminal && strcmp(terminal, "dumb") == 0);
}

static bool shows_progress(void) {
    return !kept.on && report_redraws();
}

void report_clear(void) {
    if (!shows_progress())
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}

void report_progress(const char *work, int64_t done, int64_t total) {
    static const char bar[] = "##############################";
    int width = sizeof bar - 1;
    /* At most about 100 updates, because the terminal is slow. */
    int64_t stride = total / 100 + 1;
    if (done == total)
        report_clear();
    else if (done % stride == 0 && shows_progress()) {
        int full = (int)((double)done / (double)total * width);
        fprintf(stderr, "\r[%.*s%*s] %" PRId64 " of %" PRId64 " %s", full, bar, width - full, "",
                done, total, work);
        fflush(stderr);
    }
}

bool report_flush(void) {
    errno = 0;
    /* If stdout failed earlier, its errno is lost: another write fails for the same reason. */
    if (ferror(stdout))
        putchar('\n');
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    report_error("cannot write to standard output%s%s", errno == 0 ? "" : ": ",
                 errno == 0 ? "" : strerror(errno));
    return false;
}
