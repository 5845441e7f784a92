/* pending.h - transfers that begin later: when an event is reached, without the device's help.
 *
 * If the transfers of a fabric are not commands of streams, one is put here while the commands
 * before it have not run. It is started when the rank next looks: when it makes progress, adds
 * another one, or waits for one. All calls are the rank's. */
#ifndef SCT_FABRIC_PENDING_H
#define SCT_FABRIC_PENDING_H

#include "fabric/fabric.h"

/* Starts those that can begin. */
void sct_pending_progress(sct_fabric *fabric);
/* Waits for all. */
SCT_API void sct_pending_drain(sct_fabric *fabric);

#endif
