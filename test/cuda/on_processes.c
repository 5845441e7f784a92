/* on_processes.c - a pretended machine for tests whose ranks are processes: each process has its
 * own, of which the first device is that of rank 0, and so on. SECTILE_TEST_UNEQUAL: devices cannot
 * add to each other's memory. */
#include "cuda/stand_in.h"
#include "support/check.h"

#include <stdlib.h>
#include <unistd.h>

/* After the test has reported. */
static void end(void) {
    long before = check_failures();
    stand_in_end();
    if (check_failures() > before)
        _exit(1);
}

/* Before ranks meet in another constructor, or after: it only notes what to pretend. */
__attribute__((constructor)) static void start(void) {
    stand_in_start((stand_in_machine){
        .devices = 2, .major = 9, .unequal = getenv("SECTILE_TEST_UNEQUAL"), .delay_us = 20});
    atexit(end);
}
