/* start_watch.c - see start_watch.h. */
#include "ranks/start_watch.h"

#include "print/report.h"
#include "values/parse_number.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { QUIET_S = 10, BEHIND_S = 5, LONGEST_S = 3600 };

/* The limit, 0 for none; a setting that cannot be read fails when the world is made. */
static int64_t limit_in_seconds(void) {
    const char *text = getenv("SECTILE_START_SECONDS");
    int64_t seconds;
    return text && number_whole(text, 0, INT_MAX / 1000, &seconds) ? seconds : LONGEST_S;
}

/* Whether the start has ended before this time. */
static bool ends_by(struct start_watch *watch, const struct timespec *time) {
    int error;
    do
        error = sem_clockwait(&watch->ended, CLOCK_MONOTONIC, time) == 0 ? 0 : errno;
    while (error == EINTR);
    return error == 0;
}

static struct timespec later(struct timespec time, int64_t seconds) {
    time.tv_sec += (time_t)seconds;
    return time;
}

static void *run(void *context) {
    struct start_watch *watch = context;
    const int64_t limit = limit_in_seconds(), behind = watch->rank > 0 ? BEHIND_S : 0;
    struct timespec begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    const struct timespec quiet = later(begin, QUIET_S),
                          last = later(begin, behind + (limit > 0 ? limit : INT_MAX));
    if (limit == 0 || limit > QUIET_S) {
        if (ends_by(watch, &quiet))
            return NULL;
        if (watch->rank <= 0)
            report_warning("MPI_Init has waited %d s for %s", QUIET_S, watch->waited_for);
    }
    if (ends_by(watch, &last))
        return NULL;
    char text[300];
    snprintf(text, sizeof text,
             "MPI_Init has waited %" PRId64 " s for %s, and SECTILE_START_SECONDS limits the start",
             limit + behind, watch->waited_for);
    report_show(text);
    _exit(CODE_NO_ENGINE);
}

void start_watch_begin(struct start_watch *watch, int rank, const char *waited_for) {
    snprintf(watch->waited_for, sizeof watch->waited_for, "%s", waited_for);
    watch->rank = rank;
    sem_init(&watch->ended, 0, 0);
    watch->runs = pthread_create(&watch->thread, NULL, run, watch) == 0;
}

void start_watch_end(struct start_watch *watch) {
    sem_post(&watch->ended);
    if (watch->runs)
        pthread_join(watch->thread, NULL);
    sem_destroy(&watch->ended);
}
