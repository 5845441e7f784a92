/* near.h - which ranks share memory. */
#ifndef SCT_BASE_NEAR_H
#define SCT_BASE_NEAR_H

#include <stdbool.h>

static inline bool sct_is_near(int rank, int other, int ranks_per_node) {
    return rank / ranks_per_node == other / ranks_per_node;
}

#endif
