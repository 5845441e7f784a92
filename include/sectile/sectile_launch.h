/* sectile_launch.h - how the ranks that a launcher has started find each other. sectile.h includes
 * this file. */
#ifndef SECTILE_LAUNCH_H
#define SECTILE_LAUNCH_H

#include <sectile/sectile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What has started this process, as the environment says. Of several, such as torchrun under srun,
 * it is the innermost; but one process of torchrun or PMI yields to a launcher of several. */
typedef struct sct_launcher {
    size_t size;
    const char *name;     /* NULL: none; or "sectile launch", "torchrun", "slurm", "openmpi", "pmi"
                             (MPICH and Intel MPI), "pmix" (an MPI that Slurm starts), "flux" or
                             "pals" (of Cray) */
    const char *variable; /* the one that says how many processes there are */
    int rank;             /* -1: not said */
    int ranks;            /* 0: not said. From PMIX_RANK or PALS_RANKID
                             alone, at least so many */
    const char *outer;    /* if each process of another launcher has started so many, the variable
                             with its rank; otherwise NULL */
    int outer_ranks;      /* how many processes of the other launcher there are */
} sct_launcher;
/* Finds the launcher; set `size` first. Errors: SCT_BAD_ARGUMENT if a variable of a launcher is
 * not a number, or the rank is none of so many. Not collective. */
SCT_API sct_status sct_launcher_find(sct_launcher *launcher);

/* Sets the bootstrap of a process that a launcher has started, for sct_world_create with the
 * engine "processes". Ranks that `sectile launch` has started inherit a connection to it
 * (SECTILE_LAUNCHER, SECTILE_RANK, SECTILE_RANKS). Those of other launchers connect to rank 0 in
 * the first call, which is then collective, by TCP and with a key: where torchrun says
 * (MASTER_ADDR, MASTER_PORT), on the first node of a step of Slurm, or by the key-value space of
 * PMI-1 (PMI_FD). docs/clusters.md has the variables. There is nothing to free, and any number of
 * worlds may be made with it, one after the other. Errors: SCT_NO_ENGINE if no launcher has started
 * the process, or its ranks can meet by MPI only; SCT_BAD_ARGUMENT for a bad variable; SCT_FAILED
 * if a rank does not come in time or there is no connection. Not collective, except for the first
 * call. */
SCT_API sct_status sct_bootstrap_launched(sct_bootstrap *bootstrap);

#ifdef __cplusplus
}
#endif

#endif
