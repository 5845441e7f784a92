/* ranks.h - the ranks of a test that are processes, of any engine: every process runs the whole
 * test. mpi/ranks.c has those of an MPI job, processes/ranks.c those that need no MPI. */
#ifndef TEST_PROCESSES_RANKS_H
#define TEST_PROCESSES_RANKS_H

#include "engine/emulated.h"
#include "fabric/fabric.h"

/* Before anything else. The argument "single" starts MPI with MPI_THREAD_SINGLE. */
void ranks_start(int argc, char **argv);

int ranks_rank(void);
int ranks_size(void);

/* The engine with devices that SECTILE_TEST_ENGINE names; NULL: ranks compute on the host. */
const char *ranks_devices(void);

/* The same options of a world with the engine that it has here: that of the devices; or, without,
 * the engine for tests if the options are of that, else `ranks`. `own` is where its options go. */
sct_world_options ranks_engine(const sct_world_options *options, const char *ranks,
                               emulated_options *own);

/* Collective over the first so many ranks. The engine is that of ranks_engine. */
sct_status ranks_create_world(int ranks, const sct_world_options *options, sct_world **world);
/* Collective over all ranks: opens the fabric of the processes, without a world. */
sct_status ranks_open_fabric(const sct_world_options *options, sct_fabric **fabric);
/* Collective: an allgather, in which waiting ranks sleep. */
void ranks_gather(const void *mine, size_t bytes, void *all);

/* Collective: the ranks on this machine. */
int ranks_on_node(void);
/* Collective. Ranks must be in blocks of equal size on each machine. The ranks per node that a
 * world of all ranks must have if `emulated` are requested (0: the real number). With devices, no
 * rank is near another. */
int ranks_sharing_memory(int emulated);

/* How many ranks a world with this option emulates to have on each host. SECTILE_TEST_BESIDE says
 * it for tests that are planned as if no rank was near another, as with devices. */
int ranks_beside(int ranks_per_node);

/* The path that a program's argument names: "rma", "sockets" or "auto"; for anything else, the
 * service if the engine has it. */
sct_path ranks_path(const char *argument);

#endif
