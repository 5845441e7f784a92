/* replicas.h - sums and copies between the replicas of one matrix, by pulling. */
#ifndef SCT_EXEC_REPLICAS_H
#define SCT_EXEC_REPLICAS_H

#include "exec/move.h"

/* All three are collective and end with all ranks agreed. The mover is this rank's. */

/* When every rank is done writing: all replicas (or, with only_first, replica 0 alone) become the
 * sum of all. Each replica sums its share of the lines, then fetches the shares of the others;
 * every run adds in the same order. */
sct_status sct_replicas_sum(sct_mover *mover, const sct_bound *matrix, bool only_first);
/* Replica `origin` becomes the sum of all; the others stay. */
sct_status sct_replicas_reduce(sct_mover *mover, const sct_bound *matrix, int origin);
/* All replicas become that of `origin`. */
sct_status sct_replicas_broadcast(sct_mover *mover, const sct_bound *matrix, int origin);

#endif
