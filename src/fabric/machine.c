/* machine.c - asks the system what only processes of this machine have in common; and /proc
 * whether one still runs, which needs no permission and no descriptor for each process. Groups
 * ranks by what they have in common, or as they are asked to. */
#include "fabric/machine.h"

#include "base/checked.h"
#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* MPI_Comm_split_type would find it, too, but it spins. */
uint64_t sct_find_machine(void) {
    static const char *const links[] = {"/proc/self/ns/pid", "/proc/self/ns/net",
                                        "/proc/self/ns/uts", "/proc/self/ns/time"};
    char text[256];
    uint64_t hash = sct_hash_of_nothing;
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (file) {
        hash = sct_hash_more(hash, text, fread(text, 1, sizeof text, file));
        fclose(file);
    }
    for (int i = 0; i < 4; i++) {
        ssize_t length = readlink(links[i], text, sizeof text);
        hash = sct_hash_more(hash, text, length > 0 ? (size_t)length : 0);
    }
    return hash;
}

/* ---- Whether a process runs ---- */

typedef struct process_entry {
    bool exists, missing; /* neither: the system does not say */
    char state;
    long threads;
    unsigned long long since;
} process_entry;

static process_entry read_entry(pid_t process) {
    char path[64], text[1024];
    process_entry found = {.exists = false};
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    found.missing = length < 0 && (errno == ENOENT || errno == ESRCH);
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *rest = strrchr(text, ')'); /* a program's name may hold anything */
    found.exists = rest && sscanf(rest,
                                  ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
                                  "%*d %*d %ld %*d %llu",
                                  &found.state, &found.threads, &found.since) == 3;
    return found;
}

uint64_t sct_running_since(pid_t process) {
    return read_entry(process).since;
}

/* A zombie with several threads is a process whose first thread alone has ended. Where this process
 * itself is missing, the system reports none. */
sct_run_state sct_run_state_of(pid_t process, uint64_t since) {
    process_entry found = read_entry(process);
    if (found.missing)
        return read_entry(getpid()).exists ? SCT_HAS_ENDED : SCT_RUNS;
    if (!found.exists)
        return SCT_RUNS;
    if (found.state == 'X' || (found.state == 'Z' && found.threads <= 1) ||
        (since != 0 && found.since != since))
        return SCT_HAS_ENDED;
    return found.state == 'T' || found.state == 't' ? SCT_IS_STOPPED : SCT_RUNS;
}

/* ---- Ranks alike ---- */

/* By a table of the first of each kind, at a place that the hash of its bytes determines, or after
 * that. */
bool sct_find_alike(const void *items, size_t pitch, size_t bytes, int count, int *first) {
    const char *item = items;
    size_t places = 1;
    while (places < 2 * (size_t)count)
        places *= 2;
    int *table = calloc(places, sizeof *table); /* number of the item and 1; 0: none */
    for (int i = 0; i < count && table; i++) {
        const char *mine = item + (size_t)i * pitch;
        uint64_t hash = sct_hash_more(sct_hash_of_nothing, mine, bytes);
        size_t at = (hash ^ hash >> 32) & (places - 1);
        while (table[at] && memcmp(item + (size_t)(table[at] - 1) * pitch, mine, bytes) != 0)
            at = (at + 1) & (places - 1);
        if (!table[at])
            table[at] = i + 1;
        first[i] = table[at] - 1;
    }
    bool found = table;
    free(table);
    return found;
}

int sct_ranks_per_node(const int *node, int ranks) {
    int64_t together = 0;
    for (int r = 1; r < ranks; r++)
        if (node[r] != node[r - 1])
            together = sct_common_divisor(together, r);
    return together ? (int)together : ranks;
}

int sct_ranks_per_node_asked(const sct_world_options *options) {
    int asked = 0;
    if (options && options->engine_options)
        memcpy(&asked,
               (const char *)options->engine_options +
                   offsetof(sct_threads_options, ranks_per_node),
               sizeof asked);
    return asked;
}
