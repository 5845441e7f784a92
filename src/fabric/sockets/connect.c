/* connect.c - connects all ranks: each listens, tells all where, connects to lower ranks, and
 * accepts connections of higher ranks.
 *
 * A connecting rank sends its number and a random word of rank 0, so that no other program is taken
 * for a rank. All waits end within seconds, because a firewall may drop packets silently. */
#include "fabric/sockets/connect.h"

#include "fabric/sockets/sockets.h"

#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { ADDRESSES = 8, PATIENCE_S = 3, STRANGERS = 16 };

/* Where a rank listens: its addresses in network order. No port: it cannot listen. `word`: of rank
 * 0, what a connecting rank must send. */
typedef struct endpoint {
    uint64_t word[2];
    uint32_t address[ADDRESSES], mask[ADDRESSES];
    int32_t addresses;
    in_port_t port;
} endpoint;

typedef struct hello {
    uint64_t word[2];
    int32_t rank, wanted;
} hello;

static sct_status failure(const char *what) {
    return sct_fail(SCT_NO_ENGINE, "sockets: %s: %s", what, strerror(errno));
}

/* ---- Addresses ---- */

static void list_addresses(endpoint *mine) {
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all))
        all = NULL;
    for (struct ifaddrs *at = all; at && mine->addresses < ADDRESSES; at = at->ifa_next) {
        bool usable = at->ifa_addr && at->ifa_addr->sa_family == AF_INET && at->ifa_netmask &&
                      (at->ifa_flags & IFF_UP) && !(at->ifa_flags & IFF_LOOPBACK);
        if (!usable)
            continue;
        mine->address[mine->addresses] = ((struct sockaddr_in *)at->ifa_addr)->sin_addr.s_addr;
        mine->mask[mine->addresses++] = ((struct sockaddr_in *)at->ifa_netmask)->sin_addr.s_addr;
    }
    if (all)
        freeifaddrs(all);
    if (mine->addresses == 0)
        mine->address[mine->addresses++] = htonl(INADDR_LOOPBACK);
}

static bool has_address(const endpoint *ranks, uint32_t address) {
    for (int i = 0; i < ranks->addresses; i++)
        if (ranks->address[i] == address)
            return true;
    return false;
}

/* Chooses an address in a network that both ranks are in, else the first. An address that both have
 * belongs to their common machine, or to a private network within each. */
static uint32_t choose_address(const endpoint *mine, const endpoint *theirs) {
    for (int i = 0; i < mine->addresses; i++)
        for (int j = 0; j < theirs->addresses; j++)
            if (!((mine->address[i] ^ theirs->address[j]) & mine->mask[i]) &&
                !has_address(mine, theirs->address[j]))
                return theirs->address[j];
    return theirs->address[0];
}

/* ---- Connections ---- */

static void set_patience(int fd) {
    struct timeval time = {.tv_sec = PATIENCE_S};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

static int new_socket(void) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0)
        set_patience(fd);
    return fd;
}

static sct_status listen_anywhere(int ranks, int *fd, endpoint *mine) {
    struct sockaddr_in name = {.sin_family = AF_INET};
    socklen_t length = sizeof name;
    *fd = new_socket();
    if (*fd < 0 || bind(*fd, (struct sockaddr *)&name, sizeof name) || listen(*fd, ranks) ||
        getsockname(*fd, (struct sockaddr *)&name, &length))
        return failure("cannot listen");
    if (getrandom(mine->word, sizeof mine->word, 0) != sizeof mine->word)
        return failure("cannot get random numbers");
    list_addresses(mine);
    mine->port = name.sin_port;
    return SCT_OK;
}

static sct_status connect_to(const endpoint *endpoints, int rank, int other, int *fd) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = endpoints[other].port};
    name.sin_addr.s_addr = choose_address(&endpoints[rank], &endpoints[other]);
    hello words = {
        .word = {endpoints[0].word[0], endpoints[0].word[1]}, .rank = rank, .wanted = other};
    *fd = new_socket();
    if (*fd >= 0 && !connect(*fd, (struct sockaddr *)&name, sizeof name) &&
        send(*fd, &words, sizeof words, MSG_NOSIGNAL) == sizeof words)
        return SCT_OK;
    return sct_fail(SCT_NO_ENGINE, "sockets: rank %d cannot connect to rank %d: %s", rank, other,
                    strerror(errno));
}

/* The rank that has connected; -1: another program. */
static int identify(const endpoint *endpoints, int rank, int ranks, const int *fds, int fd) {
    hello words;
    bool known = recv(fd, &words, sizeof words, MSG_WAITALL) == sizeof words &&
                 !memcmp(words.word, endpoints[0].word, sizeof words.word) &&
                 words.wanted == rank && words.rank > rank && words.rank < ranks &&
                 fds[words.rank] < 0;
    return known ? words.rank : -1;
}

static sct_status accept_ranks(const endpoint *endpoints, int rank, int ranks, int listener,
                               int *fds) {
    for (int missing = ranks - 1 - rank, strangers = 0; missing > 0;) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0)
            return failure("a rank has not connected");
        set_patience(fd);
        int other = identify(endpoints, rank, ranks, fds, fd);
        if (other >= 0) {
            fds[other] = fd;
            missing--;
            continue;
        }
        close(fd);
        if (++strangers == STRANGERS)
            return sct_fail(SCT_NO_ENGINE,
                            "sockets: too many connections from processes outside the job");
    }
    return SCT_OK;
}

static sct_status connect_all(const endpoint *endpoints, int rank, int ranks, int listener,
                              int *fds) {
    sct_status status = SCT_OK;
    for (int other = 0; other < ranks && status == SCT_OK; other++)
        if (endpoints[other].port == 0)
            status = sct_fail(SCT_NO_ENGINE, "sockets: rank %d cannot listen", other);
    for (int other = 0; other < rank && status == SCT_OK; other++)
        status = connect_to(endpoints, rank, other, &fds[other]);
    if (status == SCT_OK)
        status = accept_ranks(endpoints, rank, ranks, listener, fds);
    return status;
}

/* Connects with signals blocked, since a signal would end calls that have a time limit. */
static sct_status connect_undisturbed(const endpoint *endpoints, const sct_bootstrap *ranks,
                                      int listener, int *fds) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    sct_status status = connect_all(endpoints, ranks->rank, ranks->ranks, listener, fds);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* Makes connections non-blocking; closes them if the rank failed. */
static void make_ready(int *fd, sct_status status) {
    int one = 1;
    if (*fd < 0)
        return;
    if (status != SCT_OK) {
        close(*fd);
        *fd = -1;
        return;
    }
    setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    fcntl(*fd, F_SETFL, fcntl(*fd, F_GETFL) | O_NONBLOCK);
}

sct_status sct_sockets_connect(const sct_bootstrap *ranks, sct_status before, int *fds) {
    endpoint mine = {.port = 0}, endpoints[SCT_SOCKETS_MOST_RANKS];
    int listener = -1;
    sct_status status = before;
    for (int rank = 0; rank < ranks->ranks; rank++)
        fds[rank] = -1;
    if (status == SCT_OK)
        status = listen_anywhere(ranks->ranks, &listener, &mine);
    if (ranks->allgather(ranks->context, &mine, sizeof mine, endpoints))
        status = SCT_FAILED;
    if (status == SCT_OK)
        status = connect_undisturbed(endpoints, ranks, listener, fds);
    for (int rank = 0; rank < ranks->ranks; rank++)
        make_ready(&fds[rank], status);
    if (listener >= 0)
        close(listener);
    return status;
}
