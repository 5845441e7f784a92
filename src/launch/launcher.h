/* launcher.h - recognises what has started this process, and as which of how many, from the
 * environment. */
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

#endif
