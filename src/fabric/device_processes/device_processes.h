/* device_processes.h - the fabric of ranks that are processes, each with a device that has memory
 * of its own.
 *
 * Ranks meet as in the fabric of the processes, and its service carries their transfers: in pieces,
 * each of which a command of the owner's device copies to or from memory of the host, or adds,
 * while others are on their way. No rank is near another. Additions to the memory of a rank are
 * commands of one of its streams, and hence follow each other.
 *
 * Where devices span hosts, what is added does not travel through memory of the hosts: the sender
 * copies it to its outbox, from which the owner's device fetches it.
 *
 * Where the devices of two ranks of a host can attach each other's memory, transfers between these
 * are commands of the device of the rank that asks, and the host waits for none of them. Additions
 * are atomic then, whoever makes them. */
#ifndef SCT_FABRIC_DEVICE_PROCESSES_DEVICE_PROCESSES_H
#define SCT_FABRIC_DEVICE_PROCESSES_DEVICE_PROCESSES_H

#include "device/device.h"
#include "fabric/fabric.h"

/* Collective over the ranks of a fabric of processes, at least two, which are all far from each
 * other. Takes the fabric over, also on failure, but not the device: close that last. According to
 * the options, ranks of a host may be treated as on several. */
sct_status sct_fabric_device_processes(sct_fabric *ranks, sct_device *device,
                                       const sct_world_options *options, sct_fabric **fabric);

#endif
