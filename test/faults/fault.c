/* fault.c - counts calls up to the one that must fail. A new fault begins not here but in memory.c,
 * system.c, launch.c, library.c, mpi.c or opencl.c, by the kind of call.
 *
 * FAULT selects it: "memory 3" is the third call that asks for memory, "memory 3+" that call and
 * all later ones; likewise for the kinds "system", "launch", "library", "mpi" and "opencl", and for
 * a function by its name. When the call is reached, its name is written to the file FAULT_REACHED.
 * "memory 0" lets no call fail: each gets a line in that file, with its number and a hash of the
 * calls that led to it. If FAULT_VERB is set, only processes whose first argument it is count.
 * FAULT_SECONDS limits the life of a process.
 */
#include "faults/fault.h"

#include "faults/serve.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Global, because the replaced functions have no other way to it. */
static struct {
    char what[32];    /* a kind or a function; "": nothing fails */
    atomic_long left; /* 1: the next call fails */
    bool more;        /* later calls fail, too */
    bool lists;       /* none fails, and each is told */
    atomic_bool over;
    pthread_once_t begun;
} asked = {.begun = PTHREAD_ONCE_INIT};

__attribute__((constructor)) static void read_request(int count, char **words) {
    serve_requests();
    const char *text = getenv("FAULT"), *verb = getenv("FAULT_VERB");
    bool concerned = !verb || (count > 1 && strcmp(words[1], verb) == 0);
    char more = '\0';
    long n = 0;
    if (!text || !concerned || sscanf(text, "%31s %ld%c", asked.what, &n, &more) < 2)
        asked.what[0] = '\0';
    asked.left = n;
    asked.more = more == '+';
    asked.lists = n == 0;
    const char *seconds = getenv("FAULT_SECONDS");
    if (seconds)
        alarm((unsigned)strtoul(seconds, NULL, 10));
}

static void end(void) {
    asked.over = true;
}

/* Counting stops at exit, before a coverage tool writes what it has counted. */
static void begin(void) {
    atexit(end);
}

static bool begins(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_of_the_tool(const void *caller) {
    struct dl_find_object found;
    if (_dl_find_object((void *)caller, &found) != 0)
        return false;
    const char *path = found.dlfo_link_map->l_name, *slash = strrchr(path, '/');
    if (path[0] == '\0')
        return strcmp(program_invocation_short_name, "sectile") == 0;
    const char *name = slash ? slash + 1 : path;
    return begins(name, "sectile") || begins(name, "libsectile");
}

static void tell(const char *line) {
    const char *path = getenv("FAULT_REACHED");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    if (file == -1)
        return;
    dprintf(file, "%s\n", line);
    close(file);
}

static void tell_place(long number) {
    enum { DEPTH = 6 };
    void *callers[DEPTH];
    uint64_t hash = 0;
    char line[48];
    for (int i = backtrace(callers, DEPTH); i-- > 0;)
        hash = (hash ^ (uintptr_t)callers[i]) * 0x9e3779b97f4a7c15U;
    snprintf(line, sizeof line, "%ld %016" PRIx64, number, hash);
    tell(line);
}

bool fault_due(const char *kind, const char *call, const void *caller) {
    if (strcmp(kind, asked.what) != 0 && strcmp(call, asked.what) != 0)
        return false;
    if (asked.over || !is_of_the_tool(caller))
        return false;
    pthread_once(&asked.begun, begin);
    long left = asked.left--;
    if (asked.lists) {
        tell_place(1 - left);
        return false;
    }
    if (left == 1)
        tell(call);
    return left == 1 || (left < 1 && asked.more);
}

bool fault_lasts(void) {
    return asked.more && asked.left < 1;
}

fault_function *fault_next(const char *call) {
    fault_function *found;
    *(void **)&found = dlsym(RTLD_NEXT, call);
    return found;
}
