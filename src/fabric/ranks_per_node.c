/* ranks_per_node.c - groups ranks by what they have in common. */
#include "fabric/ranks_per_node.h"

#include "base/checked.h"

int sct_ranks_per_node(const int *node, int ranks) {
    int64_t together = 0;
    for (int r = 1; r < ranks; r++)
        if (node[r] != node[r - 1])
            together = sct_common_divisor(together, r);
    return together ? (int)together : ranks;
}
