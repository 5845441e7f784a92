/* launcher.h - recognises what has started this process, and as which of how many, from the
 * environment; and what Slurm and PMI say of that. */
#ifndef SCT_LAUNCH_LAUNCHER_H
#define SCT_LAUNCH_LAUNCHER_H

#include "launch/rendezvous.h"

/* A kind of launcher: the variables that it sets, and how its ranks meet. */
typedef struct sct_launcher_kind {
    const char *name;
    const char *sign; /* the variable by which it is recognised, */
    const char *rank; /* and those with the rank */
    const char
        *ranks; /* and the number of ranks; NULL: as the step of Slurm says, if this is one */
    const char *agents; /* the number of its processes that start ranks; NULL: it does not say */
    /* NULL: they meet by MPI alone, or by a connection that they inherit */
    sct_status (*meet)(const sct_launcher *launcher, sct_rendezvous *rendezvous);
} sct_launcher_kind;

extern const char sct_launcher_sectile[], sct_launcher_slurm[];

/* As sct_launcher_find. *kind is NULL if there is no launcher. */
sct_status sct_launcher_recognise(sct_launcher *launcher, const sct_launcher_kind **kind);

/* Whether PMIx has started this process, but Open MPI has not found it, and then set variables as
 * in a process that was started alone. */
SCT_API bool sct_launcher_is_lost(void);

/* Whether PMI_FD is a connection. */
bool sct_pmi_is_open(void);
/* Exchanges addresses by PMI-1. The process must not initialize MPI afterwards, since MPI would
 * start the same protocol on the same connection. */
sct_status sct_pmi_meet(const sct_launcher *launcher, sct_rendezvous *rendezvous);

/* Fails if a number that Slurm sets cannot be read. */
sct_status sct_slurm_check(void);
/* The number of tasks in the Slurm step that this process belongs to; 0 if it is in no step, as in
 * a batch script. */
int sct_slurm_tasks(void);
/* Whether the step may have one task on each node, as when mpiexec starts its agents by srun. */
bool sct_slurm_is_one_per_node(void);
/* The ranks meet on the first node of the step. Fails with SCT_NO_ENGINE unless the launcher's
 * ranks are the tasks. */
sct_status sct_slurm_meet(const sct_launcher *launcher, sct_rendezvous *rendezvous);
/* Writes the first name of a list such as node[03-06,9],other1. False if there is none, or it does
 * not fit. */
bool sct_slurm_first_node(const char *list, char *node, size_t room);

#endif
