/* addresses.h - where a rank can be reached, and by which of its addresses another rank reaches it.
 *
 * All addresses are kept as of IPv6, where those of IPv4 are ::ffff:a.b.c.d. */
#ifndef SCT_FABRIC_SOCKETS_ADDRESSES_H
#define SCT_FABRIC_SOCKETS_ADDRESSES_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum { SCT_MOST_ADDRESSES = 16 };

typedef struct sct_addresses {
    struct in6_addr of[SCT_MOST_ADDRESSES];
    uint8_t bits[SCT_MOST_ADDRESSES]; /* of its network's prefix */
    int32_t count;                    /* at least 1, once listed */
    in_port_t port;                   /* in network order; 0: the rank cannot listen */
} sct_addresses;

/* Lists those of this host's networks, or if it has none, that of the host for itself. */
void sct_addresses_list(sct_addresses *mine);

/* Whether what another rank says of itself can be used. */
bool sct_addresses_are_valid(const sct_addresses *theirs);

/* The name for a connection to another rank: an address in a network that both are in, else the
 * first of a family that both have. Returns its length. */
socklen_t sct_addresses_choose(const sct_addresses *mine, const sct_addresses *theirs,
                               struct sockaddr_storage *name);

#endif
