/* ranks_per_node.c - groups ranks by what they have in common, or as they are asked to. */
#include "fabric/ranks_per_node.h"

#include "base/checked.h"

#include <string.h>

int sct_ranks_per_node(const int *node, int ranks) {
    int64_t together = 0;
    for (int r = 1; r < ranks; r++)
        if (node[r] != node[r - 1])
            together = sct_common_divisor(together, r);
    return together ? (int)together : ranks;
}

int sct_ranks_per_node_asked(const sct_world_options *options) {
    int asked = 0;
    if (options && options->engine_options)
        memcpy(&asked,
               (const char *)options->engine_options +
                   offsetof(sct_threads_options, ranks_per_node),
               sizeof asked);
    return asked;
}
