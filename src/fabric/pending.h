/* pending.h - transfers that begin later: when an event is reached, without the device's help.
 *
 * Only for fabrics whose transfers are not commands of streams. A transfer that must follow
 * commands of a stream waits in a list until these have run. The rank starts it in its next call
 * that makes progress, adds a transfer, or waits for one. Only the rank's own thread calls these
 * functions. */
#ifndef SCT_FABRIC_PENDING_H
#define SCT_FABRIC_PENDING_H

#include "fabric/fabric.h"

/* Starts those that can begin. */
void sct_pending_progress(sct_fabric *fabric);
/* Waits for all. */
SCT_API void sct_pending_drain(sct_fabric *fabric);

#endif
