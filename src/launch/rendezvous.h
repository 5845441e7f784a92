/* rendezvous.h - the connections of ranks that have no world yet: each has one to rank 0. */
#ifndef SCT_LAUNCH_RENDEZVOUS_H
#define SCT_LAUNCH_RENDEZVOUS_H

#include "base/clock.h"
#include "base/hash.h"
#include "base/status.h"

#include <netinet/in.h>
#include <sectile/sectile_launch.h>
#include <stdbool.h>

typedef struct sct_rendezvous {
    int rank, ranks;
    int *fds;     /* of rank 0: to each rank, -1 for itself; of others: one, to rank 0 */
    int listener; /* of rank 0, while others come; otherwise -1 */
} sct_rendezvous;

/* Makes a rendezvous without connections. */
sct_status sct_rendezvous_create(int rank, int ranks, sct_rendezvous *rendezvous);
/* Closes its sockets; to gather then fails. */
void sct_rendezvous_close(sct_rendezvous *rendezvous);
void sct_rendezvous_close_listener(sct_rendezvous *rendezvous);
void sct_rendezvous_destroy(sct_rendezvous *rendezvous);

/* On rank 0: waits for all others at the listener, which listens to the port, in network order.
 * `where` is for the reason of a failure, and the log. */
sct_status sct_rendezvous_host(sct_rendezvous *rendezvous, sct_siphash_key key, in_port_t port,
                               const char *where);
/* On another rank: checks that rank 0 with the same key is at the other end of a connection, and
 * then keeps the connection as fds[0]. Otherwise closes it, and sets *why to the reason: also if
 * nothing is answered within a few seconds, or until the deadline. Fails if rank 0 was started with
 * another number of ranks. */
sct_status sct_rendezvous_greet(sct_rendezvous *rendezvous, sct_siphash_key key, in_port_t port,
                                int fd, const sct_deadline *limit, const char **why);

/* The allgather of a bootstrap. */
sct_status sct_rendezvous_gather(const sct_rendezvous *rendezvous, const void *mine, size_t bytes,
                                 void *all);
/* The same by one connection, to a launcher that does what rank 0 does; its name is for the
 * reason of a failure. */
sct_status sct_rendezvous_ask(int fd, int ranks, const char *whom, const void *mine, size_t bytes,
                              void *all);

#endif
