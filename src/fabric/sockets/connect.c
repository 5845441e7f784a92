/* connect.c - connects all ranks: each listens, sends its address to all, connects to lower ranks,
 * and accepts connections of higher ranks.
 *
 * All waits end within seconds, because a firewall may drop packets silently. */
#include "fabric/sockets/connect.h"

#include "fabric/bootstrap.h"
#include "fabric/sockets/addresses.h"
#include "fabric/sockets/hello.h"
#include "fabric/sockets/socket.h"
#include "fabric/sockets/sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static sct_status failure(int rank, const char *what) {
    return sct_fail(SCT_NO_ENGINE, "sockets: rank %d cannot %s: %s", rank, what, strerror(errno));
}

/* ---- Connections ---- */

static sct_status listen_anywhere(int rank, int *fd, sct_endpoint *mine) {
    in_port_t port;
    if (!sct_socket_listen(0, fd, &port))
        return failure(rank, "listen");
    if (getrandom(&mine->key, sizeof mine->key, 0) != sizeof mine->key)
        return failure(rank, "get random numbers");
    sct_addresses_list(&mine->addresses);
    mine->addresses.port = port;
    return SCT_OK;
}

static sct_status connect_to(const sct_endpoint *endpoints, int rank, int other, int *fd) {
    struct sockaddr_storage name;
    socklen_t length =
        sct_addresses_choose(&endpoints[rank].addresses, &endpoints[other].addresses, &name);
    sct_hello hello = sct_hello_make(endpoints[0].key, rank, other);
    if (sct_socket_connect((struct sockaddr *)&name, length, fd) &&
        send(*fd, &hello, sizeof hello, MSG_NOSIGNAL) == sizeof hello)
        return SCT_OK;
    /* EINPROGRESS is what the system says when the time limit ends */
    const char *why = errno == EINPROGRESS ? "no answer" : strerror(errno);
    return sct_fail(SCT_NO_ENGINE, "sockets: rank %d cannot connect to rank %d: %s", rank, other,
                    why);
}

/* Signals are blocked meanwhile, since one would end calls that have a time limit. */
static sct_status connect_to_lower(const sct_endpoint *endpoints, const sct_bootstrap *ranks,
                                   int *fds) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    sct_status status = SCT_OK;
    for (int other = 0; other < ranks->ranks && status == SCT_OK; other++)
        if (!sct_addresses_are_valid(&endpoints[other].addresses))
            status = sct_fail(SCT_NO_ENGINE, "sockets: rank %d has no address", other);
    for (int other = 0; other < ranks->rank && status == SCT_OK; other++)
        status = connect_to(endpoints, ranks->rank, other, &fds[other]);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* A rank that does not listen has failed. */
static bool all_listen(const sct_endpoint *endpoints, int ranks) {
    for (int rank = 0; rank < ranks; rank++)
        if (endpoints[rank].addresses.port == 0)
            return false;
    return true;
}

/* Makes connections non-blocking; closes them if the rank failed. */
static void make_ready(int *fd, sct_status status) {
    if (*fd < 0)
        return;
    if (status != SCT_OK) {
        close(*fd);
        *fd = -1;
        return;
    }
    sct_socket_set_up(*fd);
    fcntl(*fd, F_SETFL, fcntl(*fd, F_GETFL) | O_NONBLOCK);
}

sct_status sct_sockets_connect(const sct_bootstrap *ranks, sct_status before, int *fds) {
    sct_endpoint mine = {.addresses.port = 0}, endpoints[SCT_SOCKETS_MOST_RANKS];
    int listener = -1;
    sct_status status = before;
    for (int rank = 0; rank < ranks->ranks; rank++)
        fds[rank] = -1;
    if (status == SCT_OK)
        status = listen_anywhere(ranks->rank, &listener, &mine);
    sct_status gathered = sct_bootstrap_gather(ranks, &mine, sizeof mine, endpoints);
    status = gathered == SCT_OK ? status : gathered;
    sct_status accepted = SCT_OK;
    bool all = status == SCT_OK && all_listen(endpoints, ranks->ranks);
    if (all)
        status = connect_to_lower(endpoints, ranks, fds);
    if (all && status == SCT_OK)
        accepted = sct_hello_accept(endpoints[0].key, ranks->rank, ranks->ranks, listener, fds);
    /* a rank that cannot connect knows why, one that waited for it in vain does not */
    status = sct_bootstrap_agree(ranks, status);
    status = status == SCT_OK ? accepted : status;
    for (int rank = 0; rank < ranks->ranks; rank++)
        make_ready(&fds[rank], status);
    if (listener >= 0)
        close(listener);
    return status;
}
