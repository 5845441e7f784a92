/* sharing.c - which ranks share memory, in worlds that pretend nodes, and whether they have
 * devices.
 */
#include "processes/ranks.h"

#include <stdlib.h>

const char *ranks_devices(void) {
    return getenv("SECTILE_TEST_ENGINE");
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
