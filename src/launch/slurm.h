/* slurm.h - what Slurm says of the step that a process is a task of. */
#ifndef SCT_LAUNCH_SLURM_H
#define SCT_LAUNCH_SLURM_H

#include "launch/rendezvous.h"

/* The tasks of the step; 0: this process is in no step, as in a batch script. */
int sct_slurm_tasks(void);
/* Whether the step may have one task on each node, as the agents of an mpiexec. */
bool sct_slurm_is_one_per_node(void);
/* The ranks meet on the first node of the step. Fails with SCT_NO_ENGINE unless the launcher's
 * ranks are the tasks. */
sct_status sct_slurm_meet(const sct_launcher *launcher, sct_rendezvous *rendezvous);
/* Writes the first name of a list such as node[03-06,9],other1. False if there is none, or it does
 * not fit. */
bool sct_slurm_first_node(const char *list, char *node, size_t room);

#endif
