/* network.h - what kind of network this host has. */
#ifndef SCT_BASE_NETWORK_H
#define SCT_BASE_NETWORK_H

#include "base/status.h"

#include <stdbool.h>

/* True if the host has a network that reads and writes memory of other hosts without their
 * processors, and that is up: InfiniBand, RoCE, Omni-Path, EFA or Slingshot. `root` is the folder
 * of the kernel's description of devices, /sys. */
SCT_API bool sct_has_rdma_network(const char *root);

#endif
