/* by_environment.c - starts an emulated machine when a program is loaded, with the devices that
 * CUDA_VISIBLE_DEVICES lists. With SECTILE_TEST_UNEQUAL, these cannot add to each other's memory.
 * SECTILE_TEST_PER_HOST: so many processes are on a host for NVSHMEM; with SECTILE_TEST_LINKED, it
 * reaches the other hosts, too. */
#include "cuda/stand_in.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int count_listed(const char *list) {
    int count = list && *list ? 1 : 0;
    for (; list && *list; list++)
        count += *list == ',';
    return count;
}

static void __attribute__((constructor)) start(void) {
    const char *per_host = getenv("SECTILE_TEST_PER_HOST");
    stand_in_start((stand_in_machine){.devices = count_listed(getenv("CUDA_VISIBLE_DEVICES")),
                                      .unequal = getenv("SECTILE_TEST_UNEQUAL"),
                                      .ranks_per_host = per_host ? atoi(per_host) : 0,
                                      .linked = getenv("SECTILE_TEST_LINKED")});
}

/* A program whose checks have failed ends with this code instead of its own. With PRODUCTS, it says
 * how many there were. */
static void __attribute__((destructor)) end(void) {
    enum { CHECKS_FAILED = 99 };
    stand_in_end();
    if (getenv("PRODUCTS"))
        fprintf(stderr, "%lld products\n", (long long)stand_in_count(CALL_GEMM));
    if (check_failures() == 0)
        return;
    fflush(NULL);
    _exit(CHECKS_FAILED);
}
