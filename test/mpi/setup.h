/* setup.h - what the tests on processes need to know: the nodes as MPI reports them, independently
 * of Sectile, and the path to take. */
#ifndef TEST_MPI_SETUP_H
#define TEST_MPI_SETUP_H

#include <sectile/sectile.h>

/* Collective over MPI_COMM_WORLD, whose ranks must be in blocks of equal size on each machine. The
 * ranks per node that a world of all ranks must have if `pretended` are requested (0: the real
 * number). */
int ranks_sharing_memory(int pretended);

/* The path that a program's argument names: "rma", "sockets" or "auto"; anything else is the
 * service. */
sct_path path_named(const char *argument);

#endif
