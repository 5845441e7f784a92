/* usage.c - asks the allocator, that of a sanitizer if there is one, and /proc. */
#include "support/usage.h"

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>

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

usage usage_now(void) {
    return (usage){bytes_in_use(), count_maps(), entries_of("/proc/self/task"),
                   entries_of("/proc/self/fd")};
}
