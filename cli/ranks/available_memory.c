/* available_memory.c - the memory that this process may still take. */
#include "ranks/system.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* What a thread takes of the address space beside matrices and its stack: a heap of the C library
 * and the buffers of a BLAS. */
static const int64_t thread_bytes = (int64_t)256 << 20;

static int64_t least_known(int64_t x, int64_t y) {
    return x < 0 || (y >= 0 && y < x) ? y : x;
}

/* The number after `key` in a file of lines "KEY NUMBER", or with an empty key the one at its
 * start; -1: none, as where a limit is "max". */
static int64_t read_number(const char *folder, const char *file, const char *key) {
    char path[PATH_MAX], line[256];
    size_t length = strlen(key);
    int64_t number = -1;
    if (snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path)
        return -1;
    FILE *stream = fopen(path, "r");
    if (!stream)
        return -1;
    while (number < 0 && fgets(line, sizeof line, stream))
        if (strncmp(line, key, length) != 0 || sscanf(line + length, "%" SCNd64, &number) != 1)
            number = -1;
    fclose(stream);
    return number;
}

/* What a group may take: files in memory can be given up. */
static int64_t left_in_group(const char *folder, const char *limit_file, const char *used_file,
                             const char *const file_keys[2]) {
    int64_t limit = read_number(folder, limit_file, ""), used = read_number(folder, used_file, "");
    if (limit < 0 || used < 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        int64_t files = read_number(folder, "memory.stat", file_keys[i]);
        used -= files > 0 ? files : 0;
    }
    return limit > used ? limit - (used > 0 ? used : 0) : 0;
}

/* The least of a control group and those that it is in. */
static int64_t left_in_groups(const char *root, char *group, const char *limit_file,
                              const char *used_file, const char *const file_keys[2]) {
    char folder[PATH_MAX];
    int64_t left = -1;
    for (;;) {
        if (snprintf(folder, sizeof folder, "%s%s", root, group) < (int)sizeof folder)
            left = least_known(left, left_in_group(folder, limit_file, used_file, file_keys));
        char *slash = strrchr(group, '/');
        if (!slash)
            return left;
        *slash = '\0';
    }
}

static int64_t control_group_memory(void) {
    static const char *const keys[2] = {"inactive_file ", "active_file "};
    static const char *const old_keys[2] = {"total_inactive_file ", "total_active_file "};
    char line[PATH_MAX];
    int64_t left = -1;
    FILE *file = fopen("/proc/self/cgroup", "r");
    if (!file)
        return -1;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *group = strchr(line, '/');
        if (group && strncmp(line, "0::", 3) == 0)
            left = least_known(left, left_in_groups("/sys/fs/cgroup", group, "memory.max",
                                                    "memory.current", keys));
        else if (group && strstr(line, ":memory:"))
            left = least_known(left, left_in_groups("/sys/fs/cgroup/memory", group,
                                                    "memory.limit_in_bytes",
                                                    "memory.usage_in_bytes", old_keys));
    }
    fclose(file);
    return left;
}

static int64_t left_of_limit(int resource, const char *used_name, int64_t kept) {
    struct rlimit limit;
    int64_t used = system_read_kilobytes("/proc/self/status", used_name);
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur > INT64_MAX || used < 0)
        return -1;
    int64_t left = (int64_t)limit.rlim_cur - used - kept;
    return left > 0 ? left : 0;
}

static int64_t stack_bytes(void) {
    struct rlimit limit;
    bool known = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return known && limit.rlim_cur < (rlim_t)thread_bytes ? (int64_t)limit.rlim_cur : 8 << 20;
}

/* What the limits of the process leave beside what threads take; -1: there are none. */
static int64_t left_of_limits(int threads) {
    int64_t kept = threads * (thread_bytes + stack_bytes());
    return least_known(left_of_limit(RLIMIT_AS, "VmSize", kept),
                       left_of_limit(RLIMIT_DATA, "VmData", kept));
}

int64_t system_available_memory(int threads) {
    int64_t left = system_read_kilobytes("/proc/meminfo", "MemAvailable");
    left = least_known(left, control_group_memory());
    return least_known(left, left_of_limits(threads));
}

bool system_threads_fit(int threads) {
    return left_of_limits(threads) != 0;
}
