/* progress.c - one line on a terminal that says how far long work is. */
#include "print/progress.h"
#include "print/report.h"

#include "src/base/printable.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* Seconds until anything is shown, and between two drawings, as a terminal is slow.
 */
static const double delay = 0.2, interval = 0.1;

enum { LINE = 256, BAR = 20, DEFAULT_COLUMNS = 80 };

/* Read by a signal handler. */
static atomic_bool is_drawn;

bool progress_is_drawn(void) {
    return is_drawn;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void progress_bytes(double bytes, char text[PROGRESS_BYTES]) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < sizeof units / sizeof *units) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, PROGRESS_BYTES, unit == 0 ? "%.0f %s" : "%.3g %s", bytes,
             bytes == 1 && unit == 0 ? "byte" : units[unit]);
}

void progress_open(struct progress *progress, bool shows) {
    *progress = (struct progress){.shows = shows && report_redraws(),
                                  .opened = now(),
                                  .lock = PTHREAD_MUTEX_INITIALIZER,
                                  .end = PTHREAD_COND_INITIALIZER};
}

/* A line that reaches the last column might be wrapped, and would then not be drawn in place. */
static int columns(void) {
    struct winsize size;
    int found = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
    found = found > 0 ? found : DEFAULT_COLUMNS;
    return (found < LINE ? found : LINE) - 1;
}

static void write_line(const struct progress *progress, double seconds, char line[LINE]) {
    static const char bar[BAR + 1] = "####################";
    char bytes[PROGRESS_BYTES];
    if (progress->total <= 0) {
        bool timed = progress->total == PROGRESS_TIMED;
        progress_bytes((double)progress->done, bytes);
        snprintf(line, LINE, "%s, %s%s%.0f s", progress->work, timed ? "" : bytes,
                 timed ? "" : ", ", seconds);
        return;
    }
    double share = (double)progress->done / (double)progress->total;
    int full = share < 1 ? (int)(share * BAR) : BAR;
    progress_bytes((double)progress->total, bytes);
    snprintf(line, LINE, "[%.*s%*s] %3.0f %% of %s: %s", full, bar, BAR - full, "", 100 * share,
             bytes, progress->work);
}

static void draw(struct progress *progress) {
    double time = now();
    char line[LINE];
    if (time - progress->opened < delay || time - progress->drawn < interval)
        return;
    write_line(progress, time - progress->begun, line);
    line[columns()] = '\0';
    sct_make_printable(line);
    int before = progress->width, width = (int)strlen(line);
    fprintf(stderr, "\r%s%*s", line, before > width ? before - width : 0, "");
    fflush(stderr);
    is_drawn = true;
    progress->width = before > width ? before : width;
    progress->drawn = time;
}

/* Draws the line again and again until the work ends. */
static void *tick(void *context) {
    struct progress *progress = context;
    pthread_mutex_lock(&progress->lock);
    while (progress->ticks) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 250000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&progress->end, &progress->lock, &until);
        if (progress->ticks)
            draw(progress);
    }
    pthread_mutex_unlock(&progress->lock);
    return NULL;
}

void progress_begin(struct progress *progress, int64_t total, const char *format, ...) {
    va_list list;
    if (!progress->shows)
        return;
    progress_end(progress);
    va_start(list, format);
    vsnprintf(progress->work, sizeof progress->work, format, list);
    va_end(list);
    progress->done = 0;
    progress->total = total;
    progress->begun = now();
    progress->ticks = total <= 0;
    if (progress->ticks && pthread_create(&progress->ticker, NULL, tick, progress) != 0)
        progress->ticks = false;
}

void progress_add(void *context, int64_t bytes) {
    struct progress *progress = context;
    if (!progress->shows)
        return;
    pthread_mutex_lock(&progress->lock);
    progress->done += bytes;
    draw(progress);
    pthread_mutex_unlock(&progress->lock);
}

void progress_end(struct progress *progress) {
    if (!progress->shows)
        return;
    pthread_mutex_lock(&progress->lock);
    bool ticked = progress->ticks;
    progress->ticks = false;
    pthread_cond_signal(&progress->end);
    pthread_mutex_unlock(&progress->lock);
    if (ticked)
        pthread_join(progress->ticker, NULL);
}

void progress_clear(struct progress *progress) {
    progress_end(progress);
    if (progress->width > 0) {
        fprintf(stderr, "\r%*s\r", progress->width, "");
        fflush(stderr);
        is_drawn = false;
    }
    progress->width = 0;
}
