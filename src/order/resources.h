/* resources.h - what limits the transfers of one rank that run at the same time.
 *
 * Transfers that use different resources run side by side. On one resource, their seconds add up.
 * The resources are an incoming and an outgoing link for each other rank; per level the rank's port
 * and its group's uplink, in both directions, and the level's total; the rank's memory; the limits
 * on gets and on accumulates in flight; and the rank itself, which multiplies, and also copies and
 * adds. Traffic between other ranks is not known here, and is ignored. On each link a transfer also
 * takes its latency. */
#ifndef SCT_ORDER_RESOURCES_H
#define SCT_ORDER_RESOURCES_H

#include "machine/machine.h"

enum { SCT_RESOURCE_RANK, SCT_MAX_USES = 6 };

/* Bytes moved between the rank and a peer; within its own memory if it is its own peer. */
typedef struct sct_order_transfer {
    int peer;
    bool adds; /* an accumulate into the peer's memory; otherwise a get from it */
    double bytes;
} sct_order_transfer;

/* The seconds for which a transfer occupies a resource. */
typedef struct sct_resource_use {
    int64_t resource;
    double seconds;
} sct_resource_use;

/* The number of resources. */
int64_t sct_resource_count(const sct_machine *machine, int ranks);
/* Finds a transfer's uses, one per resource. Returns their number. */
int sct_transfer_uses(const sct_machine *machine, int rank, const sct_order_transfer *transfer,
                      sct_resource_use use[SCT_MAX_USES]);

#endif
