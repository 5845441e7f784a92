/* system.c - properties of this system and process: its processor, memory, limits and stack. */
#include "ranks/system.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char *const variables[] = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"};

int system_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

void system_processor(char name[SYSTEM_NAME]) {
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[200];
    snprintf(name, SYSTEM_NAME, "an unknown processor");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "model name : %79[^\n]", name) == 1)
            break;
    if (file)
        fclose(file);
}

void system_host(char name[SYSTEM_HOST]) {
    if (gethostname(name, SYSTEM_HOST) != 0)
        name[0] = '\0';
    name[SYSTEM_HOST - 1] = '\0';
}

/* Reads "NAME: NUMBER kB" from a file, as bytes; -1 if absent. */
static int64_t system_read_kilobytes(const char *path, const char *name) {
    FILE *file = fopen(path, "r");
    char line[200];
    size_t length = strlen(name);
    int64_t kilobytes = -1;
    if (!file)
        return -1;
    while (kilobytes < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, name, length) != 0 ||
            sscanf(line + length, ": %" SCNd64, &kilobytes) != 1)
            kilobytes = -1;
    fclose(file);
    return kilobytes < 0 ? -1 : kilobytes * 1024;
}

int64_t system_peak_memory(void) {
    int64_t most = system_read_kilobytes("/proc/self/status", "VmHWM");
    int64_t shared = system_read_kilobytes("/proc/self/status", "RssShmem");
    int64_t own = shared > 0 ? system_read_kilobytes("/proc/self/smaps_rollup", "Pss_Shmem") : -1;
    return most >= 0 && own >= 0 ? most - shared + own : most;
}

/* 5 asks Linux to begin the peak anew. */
void system_forget_peak_memory(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file)
        return;
    fputs("5", file);
    fclose(file);
}

void system_limit_blas_threads(char **words) {
    if (getenv(variables[0]) || getenv(variables[1]))
        return;
    if (setenv(variables[0], "1", 0) == 0 && setenv(variables[1], "1", 0) == 0)
        execv("/proc/self/exe", words);
}

int system_blas_threads(void) {
    /* OpenBLAS has a function that returns it; for another BLAS it is in the environment. The
     * address is copied, because ISO C has no cast from an object pointer to a function pointer. */
    int (*ask)(void) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
    const char *set = getenv(variables[1]);
    memcpy(&ask, &symbol, sizeof ask);
    return ask ? ask() : set ? atoi(set) : 0;
}

/* ---- A large stack ---- */

/* An MPI and the drivers of devices need more than the tool. */
static const size_t enough = 8 << 20, small = 1 << 20;

struct call {
    int (*run)(int count, char **words);
    int count;
    char **words;
    sigset_t signals; /* those that are blocked */
    int result;
};

static bool is_small(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < small;
}

static void *run_call(void *arg) {
    struct call *call = arg;
    pthread_sigmask(SIG_SETMASK, &call->signals, NULL);
    call->result = call->run(call->count, call->words);
    return NULL;
}

/* False if there is no such thread. All signals go to it: this one only waits. */
static bool run_in_thread(struct call *call) {
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &call->signals);
    bool started = pthread_attr_setstacksize(&attributes, enough) == 0 &&
                   pthread_setattr_default_np(&attributes) == 0 &&
                   pthread_create(&thread, NULL, run_call, call) == 0;
    pthread_attr_destroy(&attributes);
    if (started)
        pthread_join(thread, NULL);
    pthread_sigmask(SIG_SETMASK, &call->signals, NULL);
    return started;
}

int large_stack_run(int (*run)(int count, char **words), int count, char **words) {
    struct call call = {.run = run, .count = count, .words = words};
    if (!is_small() || !run_in_thread(&call))
        return run(count, words);
    return call.result;
}

/* ---- Available memory ---- */

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

int64_t system_group_memory(void) {
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
    left = least_known(left, system_group_memory());
    return least_known(left, left_of_limits(threads));
}

bool system_threads_fit(int threads) {
    return left_of_limits(threads) != 0;
}
