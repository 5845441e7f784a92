/* soak.c - see soak.h. */
#include "soak/soak.h"

#include "support/check.h"
#include "support/usage.h"

#include <stdio.h>
#include <stdlib.h>

/* SLACK: bytes that the allocator and the BLAS may keep, in all. */
enum { TENTHS = 10, SLACK = 1 << 20, MORE_MAPS = 30, USUAL = 100 };

long soak_count(int argc, char **argv) {
    return argc > 1 ? strtol(argv[1], NULL, 10) : USUAL;
}

static void print(const char *engine, long done, usage now) {
    printf("%s: %ld products; %ld bytes, %ld maps, %d threads, %d descriptors\n", engine, done,
           now.bytes, now.maps, now.threads, now.descriptors);
    fflush(stdout);
}

static void compare(const char *engine, usage first, usage now) {
    CHECK_CASE(now.bytes - first.bytes < SLACK, "%s: %ld bytes more", engine,
               now.bytes - first.bytes);
    CHECK_CASE(now.maps - first.maps < MORE_MAPS, "%s: %ld maps more", engine,
               now.maps - first.maps);
    CHECK_CASE(now.threads == first.threads && now.descriptors == first.descriptors,
               "%s: %d threads and %d descriptors; first, %d and %d", engine, now.threads,
               now.descriptors, first.threads, first.descriptors);
}

void soak_run(const char *engine, covering_trials *trials, long count, bool prints,
              void (*adjust)(trial *next)) {
    usage first = usage_now();
    for (long i = 0, tenth = 0; i < count; i++) {
        trial next = covering_trials_random(trials);
        if (adjust)
            adjust(&next);
        trial_run(&next);
        if ((i + 1) * TENTHS < (tenth + 1) * count)
            continue;
        usage now = usage_now();
        if (tenth++ == 0)
            first = now;
        compare(engine, first, now);
        if (prints)
            print(engine, i + 1, now);
    }
}
