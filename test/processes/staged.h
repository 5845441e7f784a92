/* staged.h - runs checks on the fabric for devices of processes. */
#ifndef TEST_PROCESSES_STAGED_H
#define TEST_PROCESSES_STAGED_H

#include "fabric/fabric.h"
#include "rules/devices_fabric.h"

/* Collective over the ranks: the rules of fabrics, between devices that the opener opens. The
 * number is that of the options of the processes. */
void staged_fabric_rules(int ranks_per_node, uint64_t seed, device_opener *opener, void *context);

/* Likewise: memory of devices that processes share. */
void shared_memory_rules(sct_device *device);

#endif
