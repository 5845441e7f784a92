/* devices_fabric.h - runs checks on the fabric for devices. */
#ifndef TEST_DEVICES_FABRIC_H
#define TEST_DEVICES_FABRIC_H

#include "device/device.h"
#include "fabric/fabric.h"

/* Opens the device of a rank. */
typedef sct_status device_opener(void *context, int rank, sct_device **device);

/* Opens a fabric between so many devices, runs all rules on it and closes it. The devices are of
 * one domain each, or of that of an emulated node. */
void devices_fabric_rules(int ranks, int ranks_per_node, uint64_t seed, device_opener *opener,
                          void *context);

#endif
