/* devices.h - the fabric of ranks that are threads of one process, and whose memory is on devices.
 *
 * It uses devices by device/device.h alone. Ranks meet as in the threads fabric. A get is a move
 * by a stream of the rank that fetches, an accumulate an addition by one of the rank that adds, and
 * the host waits for neither. Additions to the blocks of a rank are atomic, if devices can do that;
 * otherwise each follows the one that was submitted before it. */
#ifndef SCT_FABRIC_DEVICES_DEVICES_H
#define SCT_FABRIC_DEVICES_DEVICES_H

#include "device/device.h"
#include "fabric/fabric.h"

/* Collective over the ranks of a threads fabric that are all near. Takes the fabric over, also on
 * failure, but not the device: close that last. Near are ranks whose devices have one domain, or,
 * according to the options, those of an emulated node. The devices of all ranks are of one kind. */
SCT_API sct_status sct_fabric_devices(sct_fabric *ranks, sct_device *device,
                                      const sct_world_options *options, sct_fabric **fabric);

#endif
