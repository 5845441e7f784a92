/* socket.h - opens sockets of TCP, as all that connect ranks need them. */
#ifndef SCT_FABRIC_SOCKETS_SOCKET_H
#define SCT_FABRIC_SOCKETS_SOCKET_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

/* On failure these return false, and errno says why. The caller closes the socket. */

/* Binds a socket to a port, in network order, of both families, if the host has both. 0: the system
 * chooses a port, which is in *bound. `again`: also to a port that ended connections still occupy.
 */
bool sct_socket_bind(in_port_t port, bool again, int *fd, in_port_t *bound);
/* Connects within a few seconds; otherwise errno is EINPROGRESS. *fd is -1 on failure. */
bool sct_socket_connect(const struct sockaddr *name, socklen_t length, int *fd);

/* Sets up an established connection: small messages are sent at once, and a host that is gone is
 * noticed. */
void sct_socket_set_up(int fd);

#endif
