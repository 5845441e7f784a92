/* node.h - finds out which ranks can map each other's memory. */
#ifndef SCT_FABRIC_PROCESSES_NODE_H
#define SCT_FABRIC_PROCESSES_NODE_H

#include "fabric/processes/rank.h"

/* Collective: sets `leader`, `pid`, `since`, `on_machine`, `crowded` and the fabric's
 * ranks_per_node, and maps the table if all ranks are on one node, unless one of them cannot map
 * it. A positive argument emulates nodes of at most so many ranks. With SCT_ALL_RANKS_FAR, the
 * table may be mapped nevertheless. */
sct_status sct_process_find_node(sct_process *self, int ranks_per_node, sct_shared *table);

#endif
