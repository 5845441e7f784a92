/* usage.c - asks the allocator, that of a sanitizer if there is one, and /proc. */
#include "support/usage.h"

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <time.h>

size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static long bytes_in_use(void) {
    if (__sanitizer_get_current_allocated_bytes)
        return (long)__sanitizer_get_current_allocated_bytes();
    struct mallinfo2 info = mallinfo2();
    return (long)(info.uordblks + info.hblkhd);
}

static int entries_of(const char *folder) {
    DIR *all = opendir(folder);
    int count = 0;
    while (all && readdir(all))
        count++;
    if (all)
        closedir(all);
    return count;
}

/* Each is a line. */
static long count_maps(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    long count = 0;
    for (int c; maps && (c = getc(maps)) != EOF;)
        count += c == '\n';
    if (maps)
        fclose(maps);
    return count;
}

/* A thread that has been joined is listed until the kernel is done with it, and may hide others
 * when it goes: it counts what is found several times in a row. */
static int count_threads(void) {
    enum { ALIKE = 5, MOST = 1000 };
    const struct timespec nap = {0, 1000000};
    int count = entries_of("/proc/self/task");
    for (int tries = 0, alike = 1; alike < ALIKE && tries < MOST; tries++) {
        nanosleep(&nap, NULL);
        int again = entries_of("/proc/self/task");
        alike = again == count ? alike + 1 : 1;
        count = again;
    }
    return count;
}

usage usage_now(void) {
    return (usage){bytes_in_use(), count_maps(), count_threads(), entries_of("/proc/self/fd")};
}
