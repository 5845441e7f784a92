/* connect.h - connects ranks that do not know each other's addresses. */
#ifndef SCT_FABRIC_SOCKETS_CONNECT_H
#define SCT_FABRIC_SOCKETS_CONNECT_H

#include <sectile/sectile.h>

/* Collective, also on ranks that have failed before. fds[r] becomes a non-blocking connection to
 * rank r; -1 for the rank itself and for ranks that were not reached. */
sct_status sct_sockets_connect(const sct_bootstrap *ranks, sct_status before, int *fds);

#endif
