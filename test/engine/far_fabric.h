/* far_fabric.h - has the transfers of ranks that are threads, between nodes, run late and in any
 * order. */
#ifndef TEST_ENGINE_FAR_FABRIC_H
#define TEST_ENGINE_FAR_FABRIC_H

#include "engine/emulated.h"
#include "fabric/fabric.h"

/* Collective: changes a threads fabric. Closes it on failure. */
sct_status far_fabric_open(const emulated_options *options, sct_fabric *threads);

#endif
