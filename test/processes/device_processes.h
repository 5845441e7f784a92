/* device_processes.h - runs checks on the fabric for devices of processes, of any engine. */
#ifndef TEST_PROCESSES_DEVICE_PROCESSES_H
#define TEST_PROCESSES_DEVICE_PROCESSES_H

#include "fabric/fabric.h"
#include "rules/devices_fabric.h"

typedef struct staged_ranks {
    int per_node; /* of the processes, as an option */
    int beside;   /* of the devices, likewise: only these can use each other's memory */
    sct_path path;
    bool needs_progress;
    bool direct; /* all can use each other's memory */
} staged_ranks;

/* Collective over the ranks: the rules of fabrics, between devices that the opener opens. */
void device_processes_fabric_rules(staged_ranks how, uint64_t seed, device_opener *opener,
                                   void *context);
/* Likewise: memory of devices that processes share. */
void shared_memory_rules(sct_device *device);

#endif
