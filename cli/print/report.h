/* report.h - errors, progress and exit codes. */
#ifndef CLI_PRINT_REPORT_H
#define CLI_PRINT_REPORT_H

#include <sectile/sectile.h>
#include <stdbool.h>
#include <stdint.h>

enum code {
    CODE_DONE = 0,
    CODE_FAILED = 1,   /* the work failed, or a check did not hold */
    CODE_USAGE = 2,    /* the command line is wrong */
    CODE_NO_ENGINE = 3 /* the requested engine is not available */
};

/* Prints one line to stderr, or keeps it after report_keep. */
void report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Keeps errors instead of printing them: for one of several processes, which may all report the
 * same, and for failures that do not end the tool. report_take returns them as lines without the
 * program's name, and prints nothing. Returns whether errors were kept before. */
enum { REPORT_TEXT = 4096 };
bool report_keep(bool on);
void report_take(char text[REPORT_TEXT]);
/* Prints kept lines as errors. */
void report_lines(const char *text);
void report_show(const char *text);

/* The exit code for a failure: of an argument, or of the work. */
enum code report_code(sct_status status);

/* Shows the progress of long work, if stderr is a terminal. done == total clears the line. */
void report_progress(const char *work, int64_t done, int64_t total);
/* Clears the progress line. */
void report_clear(void);

/* Flushes stdout; reports a failure to write it. */
bool report_flush(void);

#endif
