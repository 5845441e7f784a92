/* node.h - the node of a rank: ranks that seem to be on one machine and succeed in mapping the
 * memory of each other; and what they post for each other.
 *
 * A rank knows nothing of ranks of other nodes. */
#ifndef SCT_FABRIC_PROCESSES_NODE_H
#define SCT_FABRIC_PROCESSES_NODE_H

#include "fabric/processes/rank.h"

/* Collective: finds the node, and sets the fabric's ranks_per_node. Maps the table (collective.h)
 * if all ranks are on one node, unless one of them cannot map it. A positive argument emulates
 * nodes of at most so many ranks. With SCT_ALL_RANKS_FAR, the table may be mapped nevertheless. */
sct_status sct_process_find_node(sct_process *self, int per_node, sct_shared *table);
void sct_process_forget_node(sct_process *self);

enum { SCT_POST_BYTES = 128 };

/* Posts up to SCT_POST_BYTES bytes for the other ranks of the node. They can read that between the
 * next collective call and the one after it. */
void sct_process_post(sct_process *self, const void *mine, size_t bytes);
/* What the rank in this seat of the node has posted. */
const void *sct_process_posted(const sct_process *self, int seat);

#endif
