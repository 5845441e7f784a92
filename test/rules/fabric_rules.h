/* fabric_rules.h - the contract of a fabric, as checks that its ranks make together.
 *
 * All functions are collective, take the same seed on all ranks, and use only the fabric: the ranks
 * may be threads or processes. The test of each fabric runs them on its ranks. */
#ifndef TEST_FABRIC_RULES_H
#define TEST_FABRIC_RULES_H

#include "device/device.h"
#include "fabric/fabric.h"

/* All of the rules below. `device` is where the fabric allocates; NULL: in memory of the host. */
void fabric_rules(sct_fabric *fabric, sct_device *device, uint64_t seed);

/* Segments, peers and gets. */
void fabric_rules_memory(sct_fabric *fabric, sct_device *device, uint64_t seed);
/* Accumulates. */
void fabric_rules_accumulate(sct_fabric *fabric, sct_device *device, uint64_t seed);
/* Barrier, exchange, reduce and agree. */
void fabric_rules_collectives(sct_fabric *fabric, sct_device *device, uint64_t seed);

#endif
