/* sharing.c - which ranks share memory, in worlds that pretend nodes. */
#include "processes/ranks.h"

static int common_divisor(int a, int b) {
    return b ? common_divisor(b, a % b) : a;
}

int ranks_sharing_memory(int pretended) {
    int size = ranks_size(), on_node = ranks_on_node();
    int reach = common_divisor(on_node < size ? on_node : 0, pretended < size ? pretended : 0);
    return reach ? reach : size;
}
