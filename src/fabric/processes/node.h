/* node.h - the node of a rank: ranks that seem to be on one machine and succeed in mapping the
 * memory of each other; and a board in shared memory, where they post a few bytes for each other.
 *
 * A rank keeps no state of ranks of other nodes. */
#ifndef SCT_FABRIC_PROCESSES_NODE_H
#define SCT_FABRIC_PROCESSES_NODE_H

#include "fabric/processes/rank.h"

/* Collective: finds the node, and sets the fabric's ranks_per_node. Maps the table (collective.h)
 * if all ranks are on one node and all can map it. A positive `per_node` emulates nodes of at most
 * that many ranks; SCT_ALL_RANKS_FAR emulates nodes of one rank, which may still share the table.
 */
sct_status sct_process_find_node(sct_process *self, int per_node, sct_shared *table);
void sct_process_forget_node(sct_process *self);

enum { SCT_POST_BYTES = 128 };

/* Writes up to SCT_POST_BYTES bytes where the other ranks of the node can read them, from the next
 * collective call to the one after it. */
void sct_process_post(sct_process *self, const void *mine, size_t bytes);
/* What the rank in this seat of the node has posted. */
const void *sct_process_posted(const sct_process *self, int seat);

#endif
