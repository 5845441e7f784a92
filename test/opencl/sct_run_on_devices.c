/* sct_run_on_devices.c - replaces sct_run in tests that were written for threads, or for emulated
 * devices: their worlds are of the engine opencl, on the halves of a device. */
#include "engine/emulated.h"
#include "opencl/opened.h"

#include <string.h>

sct_status __real_sct_run(int ranks, const sct_world_options *options, sct_main *fn, void *arg);
sct_status __wrap_sct_run(int ranks, const sct_world_options *options, sct_main *fn, void *arg);

/* Runs before main, which does not know about devices. */
__attribute__((constructor)) static void start(void) {
    opened_parts();
}

sct_status __wrap_sct_run(int ranks, const sct_world_options *options, sct_main *fn, void *arg) {
    sct_world_options chosen = {.size = sizeof chosen};
    if (options)
        chosen = *options;
    sct_opencl_options parts = {.size = sizeof parts, .devices = two_parts};
    const emulated_options *emulated = chosen.engine_options;
    bool replaced = !chosen.engine || strcmp(chosen.engine, "emulated") == 0;
    if (chosen.size == sizeof chosen && replaced) {
        if (chosen.engine && emulated)
            parts.ranks_per_node = emulated->ranks_per_node;
        chosen.engine = "opencl";
        chosen.engine_options = &parts;
    }
    return __real_sct_run(ranks, &chosen, fn, arg);
}
