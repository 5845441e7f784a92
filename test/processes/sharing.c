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
    chosen.engine = devices ? devices : emulated ? options->engine : ranks;
    chosen.engine_options = own;
    bool same = options->engine && chosen.engine && !strcmp(options->engine, chosen.engine);
    size_t known = sizeof(sct_processes_options); /* of all engines */
    if (same && options->engine_options)
        memcpy(&known, options->engine_options, sizeof known);
    *own = (emulated_options){.size = known};
    if (options->engine_options)
        memcpy(own, options->engine_options, known);
    own->size = known;
    if (chosen.engine && !strcmp(chosen.engine, "emulated")) {
        own->size = sizeof *own;
        own->host = !devices;
    }
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
