/* copy.h - one matrix into another, from any layout to any layout. */
#ifndef SCT_EXEC_COPY_H
#define SCT_EXEC_COPY_H

#include "exec/move.h"

/* to = op(from), on this rank's parts of `to`; other ranks' parts of `from` must be at rest
 * meanwhile. */
sct_status sct_copy_parts(sct_mover *mover, sct_op op, const sct_bound *from, const sct_bound *to);

#endif
