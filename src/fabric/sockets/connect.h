/* connect.h - how ranks that know nothing of each other's addresses connect. */
#ifndef SCT_FABRIC_SOCKETS_CONNECT_H
#define SCT_FABRIC_SOCKETS_CONNECT_H

#include <sectile/sectile.h>

/* Collective, on all ranks whatever befell them before. fds[r] becomes the connection to rank r,
 * whose calls do not block, or -1, of the rank itself and of those that were not reached. */
sct_status sct_sockets_meet(const sct_bootstrap *ranks, sct_status before, int *fds);

#endif
