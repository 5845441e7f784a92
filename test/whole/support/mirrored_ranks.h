/* mirrored_ranks.h - a world in which one rank alone is real: the others do what it does, and say
 * what it says.
 *
 * Its bootstrap answers for all others, from hosts of `ranks_per_host` consecutive ranks. A thread
 * takes their connections, and returns each message of a reduction, as the rank from which the real
 * one expects it: by the symmetry of the rounds, that is as far on the other side. So it does with
 * those of an allgather, which have the same length only for rank 0. Nobody has anything to move,
 * and a rank that is asked for its sign does not answer. */
#ifndef TEST_MIRRORED_RANKS_H
#define TEST_MIRRORED_RANKS_H

#include <sectile/sectile.h>

typedef struct mirrored_ranks mirrored_ranks;

/* Ranks of one host: the real one is alone on its own. */
mirrored_ranks *mirrored_begin(int rank, int ranks, int ranks_per_host);
sct_bootstrap mirrored_bootstrap(mirrored_ranks *others);
/* How many of the other ranks have been connected to the real one. */
int mirrored_partners(const mirrored_ranks *others);
/* Messages of collective calls that the real rank has sent so far. */
long mirrored_messages(const mirrored_ranks *others);
/* Once the real rank has closed its connections. */
void mirrored_end(mirrored_ranks *others);

#endif
