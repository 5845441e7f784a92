/* counted_exit.h - a process that ends at once keeps its counters. coverage.sh has each file begin
 * with this, and _exit be quick_exit. To exit instead would free what other threads still work
 * with. */
#ifndef SCRIPTS_COUNTED_EXIT_H
#define SCRIPTS_COUNTED_EXIT_H

#include <stdlib.h>

/* Of the program, or the library, that calls it; the second time it does nothing. */
void __gcov_dump(void);

__attribute__((constructor)) static void keep_counters(void) {
    at_quick_exit(__gcov_dump);
}

#endif
