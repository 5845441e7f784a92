/* socket.h - opens sockets of TCP, as all that connect ranks need them; where a rank can be
 * reached, and by which of its addresses another rank reaches it. */
#ifndef SCT_FABRIC_SOCKETS_SOCKET_H
#define SCT_FABRIC_SOCKETS_SOCKET_H

#include "base/clock.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* On failure these return false, *fd is -1, and errno says why. */

/* Listens at a port, in network order, of both families, if the host has both. Others than a
 * listener may still use the port, such as connections that have ended. 0: the system chooses a
 * port, which is in *bound. */
bool sct_socket_listen(in_port_t port, int *fd, in_port_t *bound);
/* Connects within a few seconds, and before the deadline; otherwise errno is EINPROGRESS. */
bool sct_socket_connect(const struct sockaddr *name, socklen_t length, const sct_deadline *limit,
                        int *fd);

/* Begins to connect: the socket does not block, and becomes writable when it is connected, or has
 * failed, at the latest after some 15 seconds without an answer. */
bool sct_socket_begin(const struct sockaddr *name, socklen_t length, int *fd);

/* Sets up an established connection: small messages are sent at once, and a host that is gone is
 * noticed. */
void sct_socket_set_up(int fd);

enum { SCT_MOST_ADDRESSES = 16 };

typedef struct sct_addresses {
    struct in6_addr of[SCT_MOST_ADDRESSES];
    uint8_t bits[SCT_MOST_ADDRESSES]; /* of its network's prefix */
    int32_t count;                    /* at least 1, once listed */
} sct_addresses;

/* Lists the addresses of this host in its networks; if it is in none, its loopback address. */
void sct_addresses_list(sct_addresses *mine);

/* Whether a number of addresses that another rank sends is valid. */
static inline bool sct_addresses_can_be(int count) {
    return count >= 1 && count <= SCT_MOST_ADDRESSES;
}

/* Which of another rank's addresses to connect to: one in a network that both are in, else the
 * first of a family that both have. */
struct in6_addr sct_addresses_choose(const sct_addresses *mine, const sct_addresses *theirs);
/* Makes the same choice where the addresses of a rank arrive one at a time: begin with `chosen` as
 * the first, then call this for each of the others, in order. */
void sct_address_choose(const sct_addresses *mine, const struct in6_addr *theirs,
                        struct in6_addr *chosen);
/* The name for a connection there. Returns its length. */
socklen_t sct_address_name(const struct in6_addr *address, in_port_t port,
                           struct sockaddr_storage *name);

#endif
