/* usage.c - asks the allocator, or a sanitizer's if there is one, and reads /proc. */
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

/* One line per mapping. */
static long count_maps(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    long count = 0;
    for (int c; maps && (c = getc(maps)) != EOF;)
        count += c == '\n';
    if (maps)
        fclose(maps);
    return count;
}

/* A thread that has been joined stays listed until the kernel has removed it, and while it is being
 * removed the listing may miss others. So this waits until several counts in a row are equal. */
static int count_threads(void) {
    enum { EQUAL = 5, MOST = 1000 };
    const struct timespec nap = {0, 1000000};
    int count = entries_of("/proc/self/task");
    for (int tries = 0, equal = 1; equal < EQUAL && tries < MOST; tries++) {
        nanosleep(&nap, NULL);
        int again = entries_of("/proc/self/task");
        equal = again == count ? equal + 1 : 1;
        count = again;
    }
    return count;
}

usage usage_now(void) {
    return (usage){bytes_in_use(), count_maps(), count_threads(), entries_of("/proc/self/fd")};
}
