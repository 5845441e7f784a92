/* socket.h - opens sockets of TCP, as all that connect ranks need them. */
#ifndef SCT_FABRIC_SOCKETS_SOCKET_H
#define SCT_FABRIC_SOCKETS_SOCKET_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

/* On failure these return false, *fd is -1, and errno says why. */

/* Listens at a port, in network order, of both families, if the host has both. Others than a
 * listener may still use the port, such as connections that have ended. 0: the system chooses a
 * port, which is in *bound. */
bool sct_socket_listen(in_port_t port, int *fd, in_port_t *bound);
/* Connects within a few seconds; otherwise errno is EINPROGRESS. */
bool sct_socket_connect(const struct sockaddr *name, socklen_t length, int *fd);

/* Sets up an established connection: small messages are sent at once, and a host that is gone is
 * noticed. */
void sct_socket_set_up(int fd);

#endif
