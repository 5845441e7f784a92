/* reach.h - which ranks see each other's memory, as MPI says, not Sectile; and by which path the
 * others are reached. */
#ifndef TEST_MPI_REACH_H
#define TEST_MPI_REACH_H

#include <sectile/sectile.h>

/* Collective over MPI_COMM_WORLD, of which as many ranks in a row must be on each machine. The
 * ranks per node of a world of all ranks that is asked for `pretended` ones (0: as it is). */
int reach_of(int pretended);

/* The path that a program's argument names: "rma", "sockets" or "auto"; the service's, for any
 * other. */
sct_path path_of(const char *argument);

#endif
