/* system.c - properties of this system and process. */
#include "ranks/system.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int64_t system_read_kilobytes(const char *path, const char *name) {
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
