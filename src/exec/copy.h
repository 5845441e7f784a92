/* copy.h - copies a matrix from any layout to any layout; reduces and broadcasts the replicas of a
 * matrix. Each rank fetches what it needs. */
#ifndef SCT_EXEC_COPY_H
#define SCT_EXEC_COPY_H

#include "exec/move.h"

/* Starts to = op(from), for the local parts of `to`. Until sct_mover_finish, no rank may change
 * `from`, and both bounds must stay. */
sct_status sct_copy_start_parts(sct_mover *mover, sct_op op, const sct_bound *from,
                                const sct_bound *to);

/* All three are collective and end in agreement. The mover is the rank's own. */

/* Call when all ranks have finished writing. All replicas (with only_first: replica 0) become the
 * sum of all. Each replica sums its share of the lines, then copies the other shares. The order of
 * additions is fixed. */
sct_status sct_replicas_sum(sct_mover *mover, const sct_bound *matrix, bool only_first);
/* Replica `origin` becomes the sum of all; the others are unchanged. */
sct_status sct_replicas_reduce(sct_mover *mover, const sct_bound *matrix, int origin);
/* All replicas become equal to `origin`. */
sct_status sct_replicas_broadcast(sct_mover *mover, const sct_bound *matrix, int origin);

#endif
