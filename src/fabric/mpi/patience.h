/* patience.h - how one who polls passes the time until the next look: first not at all, then by
 * letting others run, then by naps that grow. */
#ifndef SCT_FABRIC_MPI_PATIENCE_H
#define SCT_FABRIC_MPI_PATIENCE_H

/* All zero but for `spins`: the looks that are made without pause. */
typedef struct sct_patience {
    int spins;
    int looks;
    long nap_ns;
} sct_patience;

void sct_patience_pass(sct_patience *patience);

/* How many looks are worth it where `busy` threads run at once on this machine. */
int sct_patience_spins(int busy);

#endif
