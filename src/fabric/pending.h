/* pending.h - transfers that begin later: when an event is reached, without the device's help.
 *
 * A fabric whose transfers are not commands of streams puts one here if the commands before it have
 * not run. It is started when the rank next looks: when it makes progress, adds another one, or
 * waits for one. All calls are the rank's. */
#ifndef SCT_FABRIC_PENDING_H
#define SCT_FABRIC_PENDING_H

#include "fabric/fabric.h"

/* Have the fabric's function `get` or `accumulate` called once `after` is reached. The target is
 * copied. */
SCT_API sct_status sct_pending_get(sct_fabric *fabric, sct_event after, const sct_target *from,
                                   void *to, size_t pitch, sct_event *reached);
SCT_API sct_status sct_pending_accumulate(sct_fabric *fabric, sct_event after, sct_type type,
                                          const void *from, size_t pitch, const sct_target *to,
                                          sct_event *reached);
/* Starts those that can begin. */
void sct_pending_progress(sct_fabric *fabric);
/* Waits for all. */
SCT_API void sct_pending_drain(sct_fabric *fabric);

#endif
