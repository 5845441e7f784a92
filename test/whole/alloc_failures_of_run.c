/* alloc_failures_of_run.c - each allocation and thread creation of sct_run fails in turn, so that
 * no rank starts. */
#include "support/check.h"
#include "whole/support/alloc_faults.h"

static int do_nothing(sct_world *world, void *arg) {
    (void)world;
    (void)arg;
    return 0;
}

static sct_status run_few(const char *text) {
    (void)text;
    return sct_run(2, NULL, do_nothing, NULL);
}

int main(void) {
    alloc_fail_each("run", run_few);
    return check_report("alloc_failures_of_run");
}
