/* report.h - what the tool says besides its results, and how it exits. */
#ifndef CLI_PRINT_REPORT_H
#define CLI_PRINT_REPORT_H

#include <sectile/sectile.h>
#include <stdbool.h>
#include <stdint.h>

enum code {
    CODE_DONE = 0,
    CODE_FAILED = 1,   /* the work failed or a check did not hold */
    CODE_USAGE = 2,    /* the command line cannot be right */
    CODE_NO_ENGINE = 3 /* the engine asked for is not there */
};

/* One line to stderr; kept instead, after report_keep. */
void report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For a process that is one of several, which may all have the same to say, and for work whose
 * failure is not that of the tool: errors are kept until somebody takes them, lines without what
 * names the program, and shows them. Returns whether they were kept before. */
enum { REPORT_TEXT = 4096 };
bool report_keep(bool on);
void report_take(char text[REPORT_TEXT]);
/* Such lines, as errors again. */
void report_lines(const char *text);
void report_show(const char *text);

/* The exit code for a failure that came from an argument, or from elsewhere. */
enum code report_code(sct_status status);

/* Shows how far long work is, if stderr is a terminal; done == total clears the line. */
void report_progress(const char *work, int64_t done, int64_t total);
/* Clears it. */
void report_clear(void);

/* Makes sure that all of stdout was written; says so if not. */
bool report_flush(void);

#endif
