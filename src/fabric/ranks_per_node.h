/* ranks_per_node.h - how many consecutive ranks are always together. */
#ifndef SCT_FABRIC_RANKS_PER_NODE_H
#define SCT_FABRIC_RANKS_PER_NODE_H

#include <sectile/sectile.h>

/* The largest number R such that ranks 0 to R - 1, R to 2R - 1 and so on are each on one node.
 * `node` has for each rank any number of its node. */
int sct_ranks_per_node(const int *node, int ranks);

/* What the options of the engine, which all begin alike, ask for; 0: nothing. */
int sct_ranks_per_node_asked(const sct_world_options *options);

#endif
