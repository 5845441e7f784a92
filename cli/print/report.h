/* report.h - errors, progress and exit codes. */
#ifndef CLI_PRINT_REPORT_H
#define CLI_PRINT_REPORT_H

#include <sectile/sectile.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum code {
    CODE_DONE = 0,
    CODE_FAILED = 1,   /* the work failed, or a check did not hold */
    CODE_USAGE = 2,    /* the command line is wrong */
    CODE_NO_ENGINE = 3 /* the requested engine is not available */
};

/* When the tool prints colours. AUTO: on a terminal, unless NO_COLOR is set. The order is that of
 * the values of --color. */
enum report_color { REPORT_COLOR_AUTO, REPORT_COLOR_ALWAYS, REPORT_COLOR_NEVER };
void report_set_color(enum report_color color);
/* True if what is printed to a stream has colours. */
bool report_has_color(FILE *out);
/* Whether standard error is a terminal that can overwrite its current line. */
bool report_redraws(void);

/* Prints one line of printable characters to stderr, or keeps it while report_keep is on. */
void report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints one line of printable characters to stderr at once; it is no error. */
void report_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints the name of a file on stdout, of which what is not printable is replaced. */
void report_name(const char *name);

/* Switches the keeping of errors on or off; returns whether it was on. Kept errors are not printed:
 * several processes may all report the same error, and some failures do not end the tool. */
enum { REPORT_TEXT = 4096 };
bool report_keep(bool on);
/* Moves the kept errors into `text`, one per line, without the program's name. */
void report_take(char text[REPORT_TEXT]);
/* Reports each line of a text like report_error. */
void report_lines(const char *text);
/* Prints each line of a text, even while errors are kept. */
void report_show(const char *text);

/* Prints the errors that were shown, and the exit code, as the JSON object that takes the place of
 * the results; nothing if there are results. */
void report_json(enum code code);

/* The exit code for a status of the library. */
enum code report_code(sct_status status);
/* The same, for the last call of the library; reports its reason if it failed. */
enum code report_status(sct_status status);

/* Shows the progress of long work, if stderr is a terminal. done == total clears the line. */
void report_progress(const char *work, int64_t done, int64_t total);
/* Clears the progress line. */
void report_clear(void);

/* Flushes stdout; reports a failure to write it. */
bool report_flush(void);

#endif
