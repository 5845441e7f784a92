/* copy.h - copies a matrix from any layout to any layout. */
#ifndef SCT_EXEC_COPY_H
#define SCT_EXEC_COPY_H

#include "exec/move.h"

/* Starts to = op(from), for the local parts of `to`. Until sct_mover_finish, no rank may change
 * `from`, and both bounds must stay. */
sct_status sct_copy_start_parts(sct_mover *mover, sct_op op, const sct_bound *from,
                                const sct_bound *to);

#endif
