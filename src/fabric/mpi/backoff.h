/* backoff.h - how one who polls passes the time until the next look: first not at all, then by
 * letting others run, then by naps that grow. */
#ifndef SCT_FABRIC_MPI_BACKOFF_H
#define SCT_FABRIC_MPI_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

/* All zero but for `crowded`: more threads wait than there are processors. */
typedef struct sct_patience {
    bool crowded;
    int64_t since_ns, nap_ns;
} sct_patience;

void sct_patience_pass(sct_patience *patience);

/* Whether `busy` threads are more than run at once on this machine. */
bool sct_patience_crowd(int busy);

#endif
