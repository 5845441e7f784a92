/* sharing.c - which ranks share memory, in worlds that pretend nodes, and whether they have
 * devices.
 */
#include "processes/ranks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *ranks_devices(void) {
    return getenv("SECTILE_TEST_ENGINE");
}

sct_world_options ranks_engine(const sct_world_options *options, const char *ranks,
                               emulated_options *own) {
    sct_world_options chosen = *options;
    const char *devices = ranks_devices();
    bool emulated = options->engine && !strcmp(options->engine, "emulated");
    *own = (emulated_options){.size = sizeof *own};
    if (options->engine_options)
        memcpy(own, options->engine_options,
               emulated ? sizeof *own : sizeof(sct_processes_options));
    own->host = !devices;
    chosen.engine = devices ? devices : emulated ? options->engine : ranks;
    emulated = chosen.engine && !strcmp(chosen.engine, "emulated");
    own->size = emulated ? sizeof *own : sizeof(sct_processes_options);
    chosen.engine_options = own;
    return chosen;
}

int ranks_beside(int ranks_per_node) {
    const char *text = getenv("SECTILE_TEST_BESIDE");
    return text ? atoi(text) : ranks_per_node;
}

static int common_divisor(int a, int b) {
    return b ? common_divisor(b, a % b) : a;
}

int ranks_sharing_memory(int emulated) {
    int size = ranks_size(), on_node = ranks_on_node();
    int reach = common_divisor(on_node < size ? on_node : 0, emulated < size ? emulated : 0);
    return ranks_devices() ? 1 : reach ? reach : size;
}
