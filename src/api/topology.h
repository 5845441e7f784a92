/* topology.h - finds whether ranks are threads or processes, and which are on one host. */
#ifndef SCT_API_TOPOLOGY_H
#define SCT_API_TOPOLOGY_H

#include "base/status.h"

#include <stdbool.h>

typedef struct sct_topology {
    bool processes;     /* each rank is a process; otherwise all are threads of one */
    int place, on_host; /* the place of this rank among those of its host, and how many these are */
} sct_topology;

/* Collective over the bootstrap. Fails if some ranks are threads of one process, and others not. */
sct_status sct_topology_find(const sct_bootstrap *bootstrap, sct_topology *here);

#endif
