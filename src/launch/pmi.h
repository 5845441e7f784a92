/* pmi.h - a rendezvous by the key-value space of PMI, version 1, the protocol between MPICH's
 * mpiexec and the processes that it starts. Slurm and Intel MPI speak it too. */
#ifndef SCT_LAUNCH_PMI_H
#define SCT_LAUNCH_PMI_H

#include "launch/rendezvous.h"

/* Whether PMI_FD is a connection. */
bool sct_pmi_is_open(void);
/* The process must not start MPI afterwards, which would begin the protocol again. */
sct_status sct_pmi_meet(const sct_launcher *launcher, sct_rendezvous *rendezvous);

#endif
