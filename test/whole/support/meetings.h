/* meetings.h - counts the collective calls of a fabric, on each rank by itself. */
#ifndef TEST_WHOLE_SUPPORT_MEETINGS_H
#define TEST_WHOLE_SUPPORT_MEETINGS_H

#include "fabric/fabric.h"

/* From now on, a world with this fabric counts. One fabric of a thread at a time. Returns the
 * operations that count, which the caller may change further. */
sct_fabric_ops *meetings_count(sct_fabric *fabric);
/* Ends the counting. */
void meetings_end(sct_fabric *fabric);
/* The number of calls since the counting began, or since this was called. */
int meetings_counted(void);

#endif
