/* reach.h - which ranks see each other's memory, as MPI says, not Sectile. */
#ifndef TEST_MPI_REACH_H
#define TEST_MPI_REACH_H

/* Collective over MPI_COMM_WORLD, of which as many ranks in a row must be on each machine. The
 * ranks per node of a world of all ranks that is asked for `pretended` ones (0: as it is). */
int reach_of(int pretended);

#endif
