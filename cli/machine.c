/* machine.c - what the tool asks the system about itself. */
#include "machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

int machine_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

int64_t machine_peak_memory(void) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[200];
    int64_t kilobytes = -1;
    if (!file)
        return -1;
    while (kilobytes < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %" SCNd64, &kilobytes) != 1)
            kilobytes = -1;
    fclose(file);
    return kilobytes < 0 ? -1 : kilobytes * 1024;
}

void machine_forget_peak_memory(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file)
        return;
    fputs("5", file);
    fclose(file);
}
