/* place.h - a rendezvous at an address that all ranks know before they meet. */
#ifndef SCT_LAUNCH_PLACE_H
#define SCT_LAUNCH_PLACE_H

#include "launch/rendezvous.h"

/* Rank 0 takes the first port that is free, of so many; the others look for it. */
enum { SCT_PLACE_PORTS = 16 };

typedef struct sct_rendezvous_point {
    char host[256];
    int port, ports;        /* the first, and how many */
    const char *counted_by; /* the variable that says how many ranks there are */
} sct_rendezvous_point;

/* The ranks of a created rendezvous connect, with the key of key.h, at `place`, or at the HOST:PORT
 * of the variable SECTILE_RENDEZVOUS if that is set. */
sct_status sct_place_meet(const sct_rendezvous_point *place, sct_rendezvous *rendezvous);
/* Meets where torchrun says, MASTER_ADDR, at a port beside MASTER_PORT, to which torchrun itself
 * listens. */
sct_status sct_torch_meet(const sct_launcher *launcher, sct_rendezvous *rendezvous);

#endif
