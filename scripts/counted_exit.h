/* counted_exit.h - saves the coverage counters of a process that ends by _exit. coverage.sh
 * includes this file first in every C file, and defines _exit as quick_exit, which runs the
 * function that is registered here. Calling exit instead would free memory that other threads still
 * use. */
#ifndef SCRIPTS_COUNTED_EXIT_H
#define SCRIPTS_COUNTED_EXIT_H

#include <stdlib.h>

/* Saves the counters of the program or library that calls it; a second call does nothing. */
void __gcov_dump(void);

__attribute__((constructor)) static void keep_counters(void) {
    at_quick_exit(__gcov_dump);
}

#endif
