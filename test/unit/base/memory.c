/* memory.c - memory that is moved to huge pages keeps what it has, wherever it begins and ends, and
 * is in huge pages if the system has any. */
#include "base/memory.h"

#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

enum { HUGE_PAGE = 2 << 20, COLLAPSE = 25 };

/* The kB in huge pages of the mapping that has an address. */
static long in_huge_pages(const void *address) {
    char line[300];
    unsigned long first, end;
    bool here = false;
    long found = 0;
    FILE *maps = fopen("/proc/self/smaps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx ", &first, &end) == 2)
            here = first <= (unsigned long)address && (unsigned long)address < end;
        if (here)
            sscanf(line, "AnonHugePages: %ld", &found);
    }
    if (maps)
        fclose(maps);
    return found;
}

static char *map(size_t bytes) {
    char *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(made != MAP_FAILED);
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* whatever is usual */
    memset(made, 7, bytes);
    prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
    return made;
}

/* Whether the system moves memory to huge pages at once. An emulated one only says that it does. */
static bool can_join(void) {
    char *memory = map(2 * HUGE_PAGE), *whole = memory + HUGE_PAGE - (uintptr_t)memory % HUGE_PAGE;
    bool can = madvise(whole, HUGE_PAGE, COLLAPSE) == 0 && in_huge_pages(whole) > 0;
    munmap(memory, 2 * HUGE_PAGE);
    return can;
}

int main(void) {
    enum { BYTES = 8 * HUGE_PAGE, BEFORE = 1000, AFTER = 333 };
    char *memory = map(BYTES);
    for (int i = 0; i < BYTES; i++)
        memory[i] = (char)(i % 101);
    sct_memory_join_pages(memory + BEFORE, 0);
    sct_memory_join_pages(memory + BEFORE, HUGE_PAGE - 1);
    CHECK(in_huge_pages(memory) == 0);
    sct_memory_join_pages(memory + BEFORE, BYTES - BEFORE - AFTER);
    for (int i = 0; i < BYTES; i++)
        if (memory[i] != (char)(i % 101)) {
            CHECK_CASE(false, "byte %d has changed", i);
            break;
        }
    long huge = in_huge_pages(memory), least = (BYTES / HUGE_PAGE - 2) * (HUGE_PAGE >> 10);
    CHECK_CASE(!can_join() || huge >= least, "%ld kB are in huge pages, not %ld", huge, least);
    munmap(memory, BYTES);
    return check_report("memory");
}
